import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";
import { RemoteA2AAgent, type RemoteA2AAgentOptions } from "#kit/a2a/remote/remote-a2a-agent.ts";
import type { CardKeys } from "#kit/a2a/remote/verify-card.ts";
import { userContent } from "#kit/events/content.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { openServerSigner, parseSigningKeys } from "#services/gateway/identity/server-signer.ts";
import { startFixtureServer } from "#test/a2a/fixture-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { callerNamed } from "../access/matrix-callers.ts";

const CARD = "/a2a/echo/.well-known/agent-card.json";

const KEYS = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  EdDSA: () => generateKeyPairSync("ed25519").privateKey,
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
};

function pem(key: KeyObject): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString();
}

function jwk(key: KeyObject, members: object = {}): string {
  return JSON.stringify({ ...key.export({ format: "jwk" }), ...members });
}

function keysFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "keys");
  writeFileSync(path, text);
  return path;
}

async function startWorld(text: string | undefined) {
  const path = text === undefined ? "" : keysFile(text);
  const clock = new FixedClock();
  const world = await startGateway({
    clock,
    config: {
      A2A_APPS: ["echo"],
      A2A_SIGNING_KEYS_FILE: path,
      PUBLIC_URL: "https://agents.example.com",
      PATH_PREFIX: "/desk",
    },
    deps: { authenticators: [{ authenticate: () => callerNamed("owner") }] },
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) => world.gateway.inject({ url, headers });
  const jwks = async () => (await get("/.well-known/jwks.json")).json<JSONWebKeySet>();
  /** Throws unless the SDK accepts a signature of the card by a public key of the server. */
  const verify = async (card: object): Promise<void> => {
    const { keys } = await jwks();
    await verifyAgentCardSignature(async (kid, jku) => {
      expect(jku).toBe("https://agents.example.com/desk/.well-known/jwks.json");
      const found = keys.find((key) => key.kid === kid);
      if (found === undefined) throw new Error(`There is no key ${kid}.`);
      return found;
    })(AgentCard.fromJSON(card));
  };
  return { clock, path, get, jwks, verify };
}

describe("a signed card", () => {
  it.each(["ES256", "EdDSA", "RS256"] as const)("is accepted by the protocol's own verifier: %s", async (alg) => {
    verifies("platform:a2a:signed-card");
    const key = KEYS[alg]();
    for (const text of [pem(key), jwk(key, { kid: "first", alg }), `{"keys": [${jwk(key)}]}`]) {
      const { get, jwks, verify } = await startWorld(text);
      const card = (await get(CARD)).json<Record<string, unknown>>();
      await verify(card);
      await verify((await get("/a2a/echo/extendedAgentCard", { "a2a-version": "1.0" })).json());
      await expect(verify({ ...card, description: "another" })).rejects.toThrow("No valid signatures");
      const { keys } = await jwks();
      expect(keys).toMatchObject([{ alg, use: "sig" }]);
      expect(JSON.stringify(keys)).not.toContain(String(key.export({ format: "jwk" }).d));
    }
  });

  it("is of 1.0 alone, and there are no keys without the setting", async () => {
    verifies("platform:a2a:signed-card");
    const { get } = await startWorld(pem(KEYS.ES256()));
    expect((await get(`${CARD}?A2A-Version=0.3`)).json()).not.toHaveProperty("signatures");
    const off = await startWorld(undefined);
    expect((await off.get(CARD)).json()).not.toHaveProperty("signatures");
    expect((await off.get("/.well-known/jwks.json")).statusCode).toBe(404);
  });

  it("is the same until the key is replaced by the next one of the file", async () => {
    verifies("platform:a2a:signed-card");
    const [old, next] = [KEYS.ES256(), KEYS.EdDSA()];
    const { clock, path, get, jwks, verify } = await startWorld(pem(old) + pem(next));
    const first = await get(CARD);
    expect((await get(CARD)).body).toBe(first.body);
    expect((await jwks()).keys.map(({ alg }) => alg)).toEqual(["ES256", "EdDSA"]);
    writeFileSync(path, pem(next) + pem(old));
    clock.advance(1000);
    const second = await get(CARD);
    expect(second.headers["etag"]).not.toBe(first.headers["etag"]);
    await verify(second.json());
    // A copy in a cache is still valid.
    await verify(first.json());
    writeFileSync(path, "broken");
    clock.advance(1000);
    expect((await get(CARD)).body).toBe(second.body);
  });
});

it.each([undefined, pem(KEYS.ES256())])("a card is kept by caches, and the extended one is not (%#)", async (text) => {
  verifies("platform:a2a:card");
  const { get } = await startWorld(text);
  const { headers } = await get(CARD);
  const etag = String(headers["etag"]);
  expect(headers["cache-control"]).toBe("public, max-age=300");
  for (const given of [etag, `"other", ${etag}`, `W/${etag.replace("W/", "")}`, "*"]) {
    const again = await get(CARD, { "if-none-match": given });
    expect([given, again.statusCode, again.body, again.headers["etag"]]).toEqual([given, 304, "", etag]);
  }
  expect((await get(CARD, { "if-none-match": '"other"' })).statusCode).toBe(200);
  const extended = await get("/a2a/echo/extendedAgentCard", { "a2a-version": "1.0", "if-none-match": "*" });
  expect([extended.statusCode, extended.headers["cache-control"], extended.headers["etag"]]).toEqual([
    200,
    "no-store",
    undefined,
  ]);
});

/** Why a remote agent fails whose server signs its card with this key, or with none. */
async function failureWith(
  signedBy: string | undefined,
  keysOfServer: (url: string) => CardKeys,
  options: Partial<RemoteA2AAgentOptions> = {},
): Promise<unknown> {
  const server = await startFixtureServer(signedBy === undefined ? {} : { A2A_SIGNING_KEYS_FILE: keysFile(signedBy) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const cardKeys = keysOfServer(server.url);
  const remote = new RemoteA2AAgent({ name: "remote", agentCard: server.url, cardKeys, ...options });
  const outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
  onTestFinished(() => outbound[Symbol.asyncDispose]());
  const runner = new Runner({ agent: remote, appName: "app", outbound, runConfig: { autoCreateSession: true } });
  const run = runner.runAsync({ userId: "u", sessionId: "s", newMessage: userContent("Go.") });
  return Array.fromAsync(run).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a remote agent with keys for its card", () => {
  const key = KEYS.ES256();

  it("calls an agent whose card they have signed, and no other", async () => {
    verifies("platform:a2a:signed-card");
    const [own] = parseSigningKeys(pem(key));
    const [other] = parseSigningKeys(pem(KEYS.ES256()));
    if (own === undefined || other === undefined) throw new Error("There is no key.");
    expect(await failureWith(pem(key), (url) => `${url}/.well-known/jwks.json`)).toBeUndefined();
    expect(await failureWith(pem(key), () => ({ keys: [other.publicKey, own.publicKey] }))).toBeUndefined();
    const refusal = 'Agent "remote": The agent card has no valid signature of a trusted key (cardKeys).';
    const forged = { ...other.publicKey, kid: own.kid };
    for (const keys of [[other.publicKey], [forged], []])
      expect(await failureWith(pem(key), () => ({ keys }))).toMatchObject({ message: refusal });
    expect(await failureWith(undefined, () => ({ keys: [own.publicKey] }))).toMatchObject({ message: refusal });
    expect(await failureWith(pem(key), () => "keys.json")).toMatchObject({
      message: expect.stringMatching(/^Agent "remote": The keys of agent cards cannot be read: /),
    });
    expect(await failureWith(undefined, (url) => `${url}/.well-known/jwks.json`)).toMatchObject({
      message: expect.stringMatching(/^Agent "remote": The keys of 127.0.0.1:\d+ cannot be read: status 404/),
    });
  });
});

it("sends the remote's credentials to the remote, not to the server of its card's keys", async () => {
  const key = KEYS.ES256();
  const [own] = parseSigningKeys(pem(key));
  const asked: (string | undefined)[] = [];
  const keys = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.end(JSON.stringify({ keys: [own?.publicKey] }));
  });
  keys.listen(0, "127.0.0.1");
  await once(keys, "listening");
  onTestFinished(() => void keys.close());
  const address = keys.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const options = { headerProvider: () => ({ authorization: "Bearer of-the-remote" }) };
  expect(await failureWith(pem(key), () => `http://127.0.0.1:${address.port}/keys`, options)).toBeUndefined();
  expect(asked).toEqual([undefined]);
});

it("signs tokens with the same keys", async () => {
  const config = { A2A_SIGNING_KEYS_FILE: keysFile(pem(KEYS.ES256())) };
  const signer = openServerSigner({ config, clock: systemClock, logger: silentLogger });
  if (signer === undefined) throw new Error("There is no signer.");
  const { protected: head, payload, signature } = signer.sign('{"sub":"task"}', { typ: "JWT" });
  // The set has JSON Web Keys.
  const keys = createLocalJWKSet(signer.publicKeys() as JSONWebKeySet);
  const { payload: claims, protectedHeader } = await jwtVerify(`${head}.${payload}.${signature}`, keys);
  expect([claims, protectedHeader]).toEqual([{ sub: "task" }, { alg: "ES256", kid: signer.keyId, typ: "JWT" }]);
});

const [RSA, EC, ED] = [KEYS.RS256(), KEYS.ES256(), KEYS.EdDSA()];

it.each([
  ["", "has no private key"],
  ["{", "is not valid JSON"],
  ['{"keys": 1}', "should have a list of `keys`"],
  ['{"keys": [1]}', "has a key that is not an object"],
  ['{"kty": "EC"}', "has a private key that cannot be read"],
  [jwk(EC, { d: "" }), "has a private key that cannot be read"],
  [jwk(EC, { x: KEYS.ES256().export({ format: "jwk" }).x }), "has a private key that cannot be read"],
  [jwk(ED, { alg: "ES256" }), 'has a key for "ES256", which signs as EdDSA'],
  [jwk(EC, { kid: "" }), "has a key whose `kid`"],
  [`{"keys": [${jwk(EC, { kid: "a" })}, ${jwk(ED, { kid: "a" })}]}`, "has two keys with the same id"],
  [pem(EC).repeat(17), "has more than 16 keys"],
  [pem(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey), "has a key of type ec"],
  [pem(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey), "has a key of type rsa"],
  [pem(RSA).replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"), "has a ENCRYPTED PRIVATE KEY"],
])("refuses a file of keys that cannot sign: %#", (text, problem) => {
  verifies("platform:a2a:signed-card");
  expect(() => parseSigningKeys(text)).toThrow(`A2A_SIGNING_KEYS_FILE: the file ${problem}`);
});
