import { expect, it, onTestFinished } from "vitest";
import * as yaml from "yaml";
import type { AppWebhook } from "#kit/core/app-settings/app-webhooks.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { TabularWebhookStore } from "#ports/webhooks/tabular-webhook-store.ts";
import { appWebhooks } from "#services/gateway/webhooks/app-webhooks.ts";
import { isSecret, newSecret } from "#services/gateway/webhooks/sign-webhook.ts";
import { readWebhookSecrets } from "#services/gateway/webhooks/webhook-secrets.ts";
import { newWebhook } from "#test/contract/webhooks/webhook-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const ALERTS: AppWebhook = { name: "alerts", url: "https://hooks.example.com/", events: ["run.failed"] };
const DAY_MS = 24 * 60 * 60 * 1000;

async function startWorld() {
  const clock = new FixedClock();
  const store = new TabularWebhookStore({ table: new InMemoryRowTable() });
  const world = await startGateway({ clock, deps: { webhookStore: store } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const { runner, deps } = world;
  const described = await runner.describeApp("echo");
  let defined: readonly AppWebhook[] | PlatformError = [];
  runner.describeApp = async () => {
    if (defined instanceof PlatformError) throw defined;
    return { ...described, webhooks: defined };
  };
  const secrets = new Map<string, string>();
  let changes = 0;
  const apps = [1, 2].map(() =>
    appWebhooks(deps, { store, secrets: () => secrets, onChange: () => void (changes += 1) }),
  );
  const define = async (given: readonly AppWebhook[] | PlatformError) => {
    defined = given;
    // As all gateways do.
    await Promise.all(apps.map((one) => one.synchronise()));
    return (await store.list({ pageSize: 100 })).webhooks;
  };
  const call = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, payload?: object) => {
    const response = await world.gateway.inject({ method, url: `/v1/webhooks${path}`, ...(payload && { payload }) });
    return [response.statusCode, response.json()] as const;
  };
  return { ...world, clock, webhooks: store, define, secrets, call, changes: () => changes };
}

it("keeps the webhooks that an app defines, changes them with it, and deletes what it no longer has", async () => {
  verifies("webhooks:apps");
  const { define, webhooks, changes } = await startWorld();
  await webhooks.create(newWebhook("of-a-user"), { secret: newSecret() }, 10);
  const [first, ...others] = (await define([ALERTS])).filter(({ source }) => source === "app");
  expect(others).toEqual([]);
  expect(first).toMatchObject({ ...ALERTS, apps: ["echo"], enabled: true, source: "app" });
  const webhookId = first?.id ?? "";
  const made = await webhooks.secretsOf({ webhookId });
  expect(isSecret(made?.secret ?? "")).toBe(true);
  const before = changes();
  expect((await define([ALERTS])).find(({ id }) => id === webhookId)).toEqual(first);
  expect(changes()).toBe(before);
  await webhooks.update({ webhookId }, (webhook) => ({ ...webhook, enabled: false }));
  const changed = await define([{ ...ALERTS, url: "https://other.example.com/" }]);
  expect(changed.find(({ id }) => id === webhookId)).toMatchObject({
    url: "https://other.example.com/",
    enabled: false,
  });
  expect(await webhooks.secretsOf({ webhookId })).toEqual(made);
  for (let pass = 1; pass < 5; pass += 1) expect(await define([])).toHaveLength(2);
  expect((await define([])).map(({ id }) => id)).toEqual(["of-a-user"]);
});

it("takes the secret that the server's file has under the name, and signs with both for a day when it changes", async () => {
  verifies("webhooks:apps");
  const { define, webhooks, secrets, clock, call, logs } = await startWorld();
  const named = { ...ALERTS, secret: "alerts" };
  expect(await define([named])).toEqual([]);
  expect(logs.filter((line) => line.includes("webhooks of apps cannot be used"))).not.toEqual([]);
  const [one, other] = [newSecret(), newSecret()];
  secrets.set("alerts", one);
  const [{ id: webhookId } = { id: "" }] = await define([named]);
  expect(await webhooks.secretsOf({ webhookId })).toEqual({ secret: one });
  secrets.set("alerts", other);
  await define([named]);
  const replaced = { secret: other, former: one, formerUntilMs: clock.now() + DAY_MS };
  expect(await webhooks.secretsOf({ webhookId })).toEqual(replaced);
  expect(JSON.stringify([await call("GET", ""), await call("GET", `/${webhookId}`)])).not.toContain("whsec_");
  expect(await call("POST", `/${webhookId}/rotate`, {})).toMatchObject([400, { reason: "WEBHOOK_OF_APP" }]);
});

it("keeps what is stored while an app is broken or has a wrong address", async () => {
  verifies("webhooks:apps");
  const { define } = await startWorld();
  const [stored] = await define([ALERTS]);
  for (let pass = 0; pass < 6; pass += 1)
    expect(await define(new PlatformError("CONFIGURATION", "root_agent.yaml is broken."))).toEqual([stored]);
  expect(await define([{ ...ALERTS, url: "http://127.0.0.1/" }])).toEqual([stored]);
});

it("lets people turn one off and on, and change or delete nothing else", async () => {
  verifies("webhooks:apps");
  const { define, call } = await startWorld();
  const [{ id } = { id: "" }] = await define([ALERTS]);
  expect(await call("PATCH", `/${id}`, { enabled: false })).toMatchObject([200, { enabled: false, source: "app" }]);
  expect(await call("PATCH", `/${id}`, { enabled: true })).toMatchObject([200, { enabled: true }]);
  expect(await call("PATCH", `/${id}`, { url: "https://x.example.com" })).toMatchObject([
    400,
    { reason: "WEBHOOK_OF_APP" },
  ]);
  expect(await call("DELETE", `/${id}`)).toMatchObject([400, { reason: "WEBHOOK_OF_APP" }]);
  expect(await call("POST", `/${id}/rotate`, {})).toMatchObject([200, { secret: expect.stringMatching(/^whsec_/) }]);
});

it("names each fault of the file of secrets with its line, and no value", () => {
  verifies("webhooks:apps");
  const secret = newSecret();
  expect(readWebhookSecrets(yaml, `alerts: ${secret}`)).toEqual(new Map([["alerts", secret]]));
  expect(() => readWebhookSecrets(yaml, `alerts: ${secret}\nother: hunter2`)).toThrow(
    "WEBHOOK_SECRETS_FILE: Line 2: other must be `whsec_` and the base64 of 24 to 64 bytes.",
  );
  expect(() => readWebhookSecrets(yaml, "- a")).toThrow("must be a map of names and secrets");
});
