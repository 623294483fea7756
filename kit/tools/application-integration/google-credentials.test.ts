import { generateKeyPairSync } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ConnectionsClient } from "./connections-client.ts";
import { getGoogleCredentials } from "./google-credentials.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = {
  type: "service_account",
  client_email: "agent@acme.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};
const serviceAccountJson = JSON.stringify(KEY);
const lines: string[] = [];

/** Google's server of tokens. */
const send: typeof fetch = async (input, init) => {
  lines.push(`${init?.method} ${String(input)}`);
  return Response.json({ access_token: `token-${lines.length}`, expires_in: 3600, token_type: "Bearer" });
};

beforeEach(() => {
  lines.length = 0;
});

describe("getGoogleCredentials", () => {
  verifies("authentication:application-integration:service-account");

  it("gets one token for the key of a service account, from Google alone", async () => {
    const credentials = getGoogleCredentials(serviceAccountJson, { fetch: send });
    expect(await credentials.getRequestHeaders()).toEqual({ authorization: "Bearer token-1" });
    await Promise.all([credentials.getRequestHeaders(), credentials.getRequestHeaders()]);
    expect(lines).toEqual(["POST https://oauth2.googleapis.com/token"]);
  });

  it.each([
    ["no JSON", "{private_key: SECRET"],
    ["no object", "[]"],
    ["a file", JSON.stringify({ type: "external_account", credential_source: { file: "/etc/passwd" } })],
    ["a command", JSON.stringify({ type: "external_account", credential_source: { executable: { command: "id" } } })],
    ["a user", JSON.stringify({ ...KEY, type: "authorized_user" })],
    ["no type", JSON.stringify({ ...KEY, type: undefined })],
    ["no key", JSON.stringify({ ...KEY, private_key: "" })],
    ["a broken key", JSON.stringify({ ...KEY, private_key: "SECRET" })],
    ["no e-mail", JSON.stringify({ ...KEY, client_email: 1 })],
  ])("refuses %s", (_, json) => {
    const read = () => getGoogleCredentials(json, { fetch: send });
    expect(read).toThrow(expect.objectContaining({ reason: "INVALID_FIELD" }));
    expect(read).not.toThrow("SECRET");
    expect(lines).toEqual([]);
  });

  it("gets one token for requests at the same time, and another one after it was refused", async () => {
    const credentials = getGoogleCredentials(serviceAccountJson, { fetch: send });
    const headers = () => credentials.getRequestHeaders();
    expect(await Promise.all([headers(), headers()])).toEqual(Array(2).fill({ authorization: "Bearer token-1" }));
    credentials.forget?.();
    expect(await headers()).toEqual({ authorization: "Bearer token-2" });
  });

  it("gets another token once for a request that is refused", async () => {
    const refuse: typeof fetch = (input, init) =>
      String(input).endsWith("/token") ? send(input, init) : Promise.resolve(Response.json({}, { status: 401 }));
    const credentials = getGoogleCredentials(serviceAccountJson, { fetch: refuse });
    const place = { project: "acme", location: "us-central1", connection: "tickets" };
    const client = new ConnectionsClient({ ...place, credentials, fetch: refuse });
    await expect(client.getConnectionDetails()).rejects.toMatchObject({ reason: "INTEGRATION_DENIED" });
    expect(lines.length).toBe(2);
  });

  it("renews a token before it expires, and reports a key that Google refuses", async () => {
    const clock = new FixedClock();
    const credentials = getGoogleCredentials(serviceAccountJson, { fetch: send, clock });
    await credentials.getRequestHeaders();
    clock.advance(3_540_000);
    await credentials.getRequestHeaders();
    expect(lines.length).toBe(2);
    const refused: typeof fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const others = getGoogleCredentials(serviceAccountJson, { fetch: refused });
    await expect(others.getRequestHeaders()).rejects.toMatchObject({ reason: "INTEGRATION_DENIED" });
  });
});
