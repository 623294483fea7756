import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { systemClock } from "#kit/platform/clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { isSecret, newSecret, signedHeaders } from "./sign-webhook.ts";

const BODY = JSON.stringify({ type: "run.succeeded", timestamp: "2026-06-01T10:00:00.000Z", data: { text: "Grüße" } });

function verify(secret: string, headers: Headers, body = BODY): unknown {
  return new Webhook(secret).verify(body, Object.fromEntries(headers));
}

it("signs as the specification's own library verifies", () => {
  verifies("webhooks:form");
  const secret = newSecret();
  const headers = signedHeaders({ id: "msg_1", body: BODY, nowMs: systemClock.now() }, { secret });
  expect(verify(secret, headers)).toEqual(JSON.parse(BODY));
  expect(() => verify(newSecret(), headers)).toThrow("No matching signature");
  expect(() => verify(secret, headers, BODY.replace("10:00", "11:00"))).toThrow("No matching signature");
  headers.set("webhook-id", "msg_2");
  expect(() => verify(secret, headers)).toThrow("No matching signature");
});

it("signs with both secrets while one is replaced, and with the new one afterwards", () => {
  verifies("webhooks:form");
  const [secret, former] = [newSecret(), newSecret()];
  const nowMs = systemClock.now();
  const during = signedHeaders({ id: "msg_1", body: BODY, nowMs }, { secret, former, formerUntilMs: nowMs + 1 });
  for (const each of [secret, former]) expect(verify(each, during)).toEqual(JSON.parse(BODY));
  const after = signedHeaders({ id: "msg_1", body: BODY, nowMs }, { secret, former, formerUntilMs: nowMs });
  expect(() => verify(former, after)).toThrow("No matching signature");
});

it("knows the form of a secret", () => {
  const bytes = (count: number) => Buffer.alloc(count, 7).toString("base64");
  for (const secret of [newSecret(), `whsec_${bytes(24)}`, `whsec_${bytes(64)}`]) expect(isSecret(secret)).toBe(true);
  for (const secret of ["", "whsec_", `whsec_${bytes(23)}`, `whsec_${bytes(65)}`, bytes(24), `whsec_${bytes(24)}!`])
    expect(isSecret(secret)).toBe(false);
});
