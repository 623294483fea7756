import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { createKey, type KeyRequest } from "#services/gateway/identity/keys/create-key.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";

async function startServer(settings: Readonly<Record<string, string>>) {
  const dataDir = agentsFolder({}).path;
  const config = loadConfig(standaloneConfigSchema, { PORT: "0", DATA_DIR: dataDir, ...settings });
  const stack = new AsyncDisposableStack();
  const server = await createStandalone({
    config,
    agentLoader: new StaticAgentLoader([]),
    logger: new RecordingLogger(),
  });
  // Another process has its own connection to the same file.
  const store = await openKeyStore({ config, stack });
  const add = async (request: Partial<KeyRequest>) => {
    const sources = { clock: systemClock, ids: new UuidV7Generator() };
    const { record, text } = createKey({ name: "test", scopes: ["ops"], ...request }, sources);
    await store.create(record);
    return { key: text, keyId: record.id };
  };
  const ask = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const answer = await fetch(server.url + path, { ...init, headers });
    const body: unknown = await answer.json();
    return { status: answer.status, challenge: answer.headers.get("www-authenticate"), body };
  };
  stack.use(server);
  return { ask, add, store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const json = { "content-type": "application/json" };

describe("a server with AUTH=api-key", () => {
  it("accepts a key that another process creates beside it, and refuses it when a caller has revoked it", async () => {
    verifies("authentication:requests", "authentication:api-key:revocation");
    await using world = await startServer({ AUTH: "api-key" });
    const { key, keyId } = await world.add({ name: "ops", scopes: ["ops", "runs:write"] });
    expect((await world.ask("/health")).status).toBe(200);
    expect(await world.ask("/list-apps")).toMatchObject({ status: 401, challenge: "Bearer" });
    expect(await world.ask("/list-apps", bearer(key))).toMatchObject({ status: 200, body: [] });
    expect(await world.ask("/list-apps", { "x-api-key": key })).toMatchObject({ status: 200 });
    expect(await world.ask(`/list-apps?access_token=${key}&key=${key}`)).toMatchObject({ status: 401 });
    expect((await world.ask("/v1/keys", bearer(key))).body).toMatchObject({
      keys: [{ keyId, name: "ops", status: "active" }],
    });
    expect(await world.ask(`/v1/keys/${keyId}`, bearer(key), { method: "DELETE" })).toMatchObject({
      status: 200,
      body: { status: "revoked" },
    });
    expect(await world.ask("/list-apps", bearer(key))).toMatchObject({
      ...{ status: 401, challenge: 'Bearer error="invalid_token"' },
      body: { reason: "UNAUTHENTICATED", message: "The API key is revoked: create another one." },
    });
    expect((await world.store.get(keyId))?.revokedAtMs).toBeGreaterThan(0);
  });

  it("gives new keys no more than their creator has", async () => {
    verifies("authentication:api-key:not-more");
    await using world = await startServer({ AUTH: "api-key" });
    const { key } = await world.add({ scopes: ["ops", "evals"], userId: "ada", apps: ["x", "y"] });
    const create = async (body: object) => {
      const answer = await world.ask(
        "/v1/keys",
        { ...bearer(key), ...json },
        { method: "POST", body: JSON.stringify({ name: "n", ...body }) },
      );
      const { reason, key: created } = answer.body as { reason?: string; key?: string };
      return reason ?? [answer.status, typeof created];
    };
    expect(await create({ scopes: ["evals"], userId: "ada", apps: ["y"] })).toEqual([201, "string"]);
    expect(await create({ scopes: ["evals", "users:all"], userId: "ada", apps: ["y"] })).toBe("SCOPE_MISSING");
    expect(await create({ scopes: ["evals"], userId: "bob", apps: ["y"] })).toBe("USER_NOT_ALLOWED");
    expect(await create({ scopes: ["evals"], apps: ["y"] })).toBe("USER_NOT_ALLOWED");
    expect(await create({ scopes: ["evals"], userId: "ada" })).toBe("APP_NOT_FOUND");
    expect(await create({ scopes: ["evals"], userId: "ada", apps: ["y", "z"] })).toBe("APP_NOT_FOUND");
    expect(await create({ scopes: ["everything"], userId: "ada", apps: ["y"] })).toBe("INVALID_FIELD");
    expect(await create({ scopes: [], userId: "ada", apps: ["y"], expiresInSeconds: 0 })).toBe("INVALID_FIELD");
    expect(await world.ask("/v1/keys/..%2Fx", bearer(key), { method: "DELETE" })).toMatchObject({
      status: 404,
      body: { reason: "API_KEY_NOT_FOUND" },
    });
  });

  it("shows all keys in pages", async () => {
    await using world = await startServer({ AUTH: "api-key" });
    const { key } = await world.add({ name: "0" });
    for (const name of ["1", "2"]) await world.add({ name });
    const names: string[] = [];
    let token = "";
    do {
      const { body } = await world.ask(`/v1/keys?pageSize=2${token}`, bearer(key));
      const page = body as { keys: { name: string }[]; nextPageToken?: string };
      names.push(...page.keys.map(({ name }) => name));
      token = page.nextPageToken === undefined ? "" : `&pageToken=${page.nextPageToken}`;
    } while (token !== "");
    // Keys of one millisecond have no order.
    expect(names.toSorted()).toEqual(["0", "1", "2"]);
  });
});

describe("a server with several kinds", () => {
  it("asks them in order, and refuses credentials of other kinds", async () => {
    verifies("authentication:kinds");
    await using issuer = await TestIssuer.start();
    await using world = await startServer({ AUTH: "oidc,api-key", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: "agents" });
    const { key } = await world.add({});
    expect(await world.ask("/list-apps", bearer(await issuer.token()))).toMatchObject({ status: 200 });
    expect(await world.ask("/list-apps", bearer(key))).toMatchObject({ status: 200 });
    for (const headers of [bearer("nothing"), { authorization: "Basic YTpi" }, { "x-forwarded-user": "ada" }])
      expect(await world.ask("/list-apps", headers)).toMatchObject({ status: 401 });
    await using tokensOnly = await startServer({ AUTH: "oidc", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: "agents" });
    expect(await tokensOnly.ask("/list-apps", bearer(key))).toMatchObject({
      body: { message: "This server accepts no credentials of this kind (AUTH)." },
    });
  });
});

describe("a server with AUTH=proxy", () => {
  it("names where its users sign out, and nobody else's callers", async () => {
    verifies("authentication:proxy:sign-out");
    const proxy = { AUTH: "proxy,api-key", TRUSTED_PROXIES: "127.0.0.1" };
    await using world = await startServer({ ...proxy, PROXY_SIGN_OUT_URL: "/oauth2/sign_out" });
    const user = { "x-forwarded-user": "ada" };
    expect((await world.ask("/auth/me", user)).body).toMatchObject({
      source: "proxy",
      userId: "ada",
      signOutUrl: "/oauth2/sign_out",
    });
    const { key } = await world.add({});
    expect((await world.ask("/auth/me", bearer(key))).body).not.toHaveProperty("signOutUrl");
    await using silent = await startServer(proxy);
    expect((await silent.ask("/auth/me", user)).body).not.toHaveProperty("signOutUrl");
  });

  it.each(["javascript:alert(1)", "//evil.example", "/\\evil.example", "http://login.example/out", "sign_out"])(
    "is not started with the address %s",
    async (PROXY_SIGN_OUT_URL) => {
      verifies("authentication:proxy:sign-out");
      const settings = { AUTH: "proxy", TRUSTED_PROXIES: "127.0.0.1", PROXY_SIGN_OUT_URL };
      await expect(startServer(settings)).rejects.toThrow(/PROXY_SIGN_OUT_URL is neither a path/);
    },
  );
});

describe("a start", () => {
  it.each([
    [{ HOST: "0.0.0.0" }, /^HOST is 0\.0\.0\.0, where other machines could read and change everything/],
    [{ AUTH: "none,api-key" }, /none accepts everybody, so it must be alone/],
    [{ AUTH: "basic" }, /AUTH/],
    [{ AUTH: "oidc" }, /OIDC_ISSUER is not set/],
    [{ AUTH: "oidc", OIDC_ISSUER: "https://id.example" }, /OIDC_AUDIENCE is not set/],
    [{ AUTH: "oidc", OIDC_ISSUER: "http://id.example", OIDC_AUDIENCE: "a" }, /must be an https URL/],
    [
      { AUTH: "oidc", OIDC_ISSUER: "https://id.example", OIDC_AUDIENCE: "a", OIDC_SCOPE_MAP: "x=y" },
      /OIDC_SCOPE_MAP: x=y names no scope/,
    ],
    [{ AUTH: "oidc", OIDC_ISSUERS_FILE: "/nowhere.yaml" }, /OIDC_ISSUERS_FILE cannot be read/],
    [{ AUTH: "proxy" }, /TRUSTED_PROXIES is not set/],
  ])("is refused with %j", async (settings, message) => {
    verifies("authentication:off-loopback");
    await expect(startServer(settings)).rejects.toThrow(message);
  });

  it("on other addresses needs callers that are authenticated, or a declaration", async () => {
    verifies("authentication:off-loopback");
    const declared: Record<string, string>[] = [{ AUTH: "api-key" }, { ALLOW_UNAUTHENTICATED: "true" }];
    for (const settings of declared) {
      await using world = await startServer({ HOST: "0.0.0.0", ...settings });
      expect((await world.ask("/health")).status).toBe(200);
    }
  });

  it("reads several issuers from a file, each with its own users", async () => {
    verifies("authentication:oidc:user");
    await using staff = await TestIssuer.start();
    await using partners = await TestIssuer.start({ audience: "partners" });
    const file = join(agentsFolder({}).path, "issuers.yaml");
    const text = `issuers:
  - issuer: ${staff.url}
    audience: agents
    scopeMap: { "*": [ops] }
  - issuer: ${partners.url}
    audience: [partners]
    jwksUri: ${partners.url}/keys
    userPrefix: "partner:"
`;
    writeFileSync(file, text);
    await using world = await startServer({ AUTH: "oidc", OIDC_ISSUERS_FILE: file });
    const status = async (token: string) => (await world.ask("/apps/x/users/ada/sessions", bearer(token))).body;
    expect(await status(await staff.token({ claims: { scope: "sessions:read" } }))).not.toMatchObject({
      reason: "USER_NOT_ALLOWED",
    });
    expect(await status(await partners.token({ claims: { scope: "sessions:read" } }))).toMatchObject({
      reason: "USER_NOT_ALLOWED",
    });
    expect(partners.requests).toEqual(["/keys"]);
    writeFileSync(file, text.replace("userPrefix", "prefix"));
    await expect(startServer({ AUTH: "oidc", OIDC_ISSUERS_FILE: file })).rejects.toThrow(
      /issuers\[1\]\.prefix is not a known member/,
    );
    writeFileSync(file, text.replace(partners.url, staff.url));
    await expect(startServer({ AUTH: "oidc", OIDC_ISSUERS_FILE: file })).rejects.toThrow(/is there twice/);
  });
});
