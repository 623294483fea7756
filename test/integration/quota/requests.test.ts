import type { InjectOptions } from "fastify";
import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { type Caller, EVERYBODY } from "#services/gateway/identity/caller.ts";
import { SCOPES } from "#services/gateway/identity/scopes.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";

const OWN = new Set(SCOPES.filter((scope) => scope !== "users:all"));

/** Credentials are `user` or `user/key`. */
const BY_NAME: readonly Authenticator[] = [
  {
    authenticate: ({ headers: { authorization } }) => {
      if (authorization === undefined) return undefined;
      const [userId, keyId] = authorization.split("/");
      const caller = { ...EVERYBODY, source: "api-key", subject: authorization, userId, scopes: OWN } as const;
      return { ...caller, ...(keyId !== undefined && { keyId }) };
    },
  },
];

const listOf = (userId: string): InjectOptions => ({ url: `/apps/echo/users/${userId}/sessions` });
const runOf = (userId: string): InjectOptions => ({
  method: "POST",
  url: "/run",
  payload: { appName: "echo", userId, sessionId: "talk", newMessage: { role: "user", parts: [{ text: "hello" }] } },
});

async function start(
  text: string,
  options: Parameters<typeof quotasOf>[1] = {},
  config: GatewayWorldOptions["config"] = {},
) {
  const clock = new FixedClock();
  const quotas = quotasOf(text, { clock, ...options });
  const world = await startGateway({ clock, config, deps: { authenticators: BY_NAME, quotas } });
  return { clock, world };
}

async function ask({ gateway }: GatewayWorld, authorization: string, request: InjectOptions) {
  return gateway.inject({ ...request, headers: { ...request.headers, authorization } });
}

it("refuses requests over the quota of a user with the quota, its reset and the time to wait", async () => {
  verifies("quotas:requests");
  const { clock, world } = await start("defaults: { user: { requestsPerMinute: 2 } }");
  await using _ = world;
  clock.advance(15_000);
  const answers = [];
  for (let request = 0; request < 3; request += 1) answers.push(await ask(world, "ada", listOf("ada")));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  expect(
    answers.map(({ headers }) => [headers["ratelimit-policy"], headers["ratelimit"], headers["retry-after"]]),
  ).toEqual([
    ['"user-requestsPerMinute";q=2;w=60', '"user-requestsPerMinute";r=1;t=45', undefined],
    ['"user-requestsPerMinute";q=2;w=60', '"user-requestsPerMinute";r=0;t=45', undefined],
    ['"user-requestsPerMinute";q=2;w=60', '"user-requestsPerMinute";r=0;t=45', "45"],
  ]);
  expect(answers[2]?.json()).toMatchObject({
    reason: "QUOTA_EXCEEDED",
    details: { limit: "requestsPerMinute", scope: "user", window: "minute", max: "2", resetSeconds: "45" },
  });
  expect((await ask(world, "bob", listOf("bob"))).statusCode).toBe(200);
  clock.advance(45_000);
  expect((await ask(world, "ada", listOf("ada"))).statusCode).toBe(200);
});

it("asks for a second at least at the last moment of a window, and counts anew from the first moment of the next", async () => {
  const { clock, world } = await start("defaults: { user: { requestsPerMinute: 1 } }");
  await using _ = world;
  clock.advance(59_999);
  const answers = [await ask(world, "ada", listOf("ada")), await ask(world, "ada", listOf("ada"))];
  clock.advance(1);
  for (let request = 0; request < 2; request += 1) answers.push(await ask(world, "ada", listOf("ada")));
  expect(answers.map(({ statusCode, headers }) => [statusCode, headers["ratelimit"], headers["retry-after"]])).toEqual([
    [200, '"user-requestsPerMinute";r=0;t=1', undefined],
    [429, '"user-requestsPerMinute";r=0;t=1', "1"],
    [200, '"user-requestsPerMinute";r=0;t=60', undefined],
    [429, '"user-requestsPerMinute";r=0;t=60', "60"],
  ]);
});

it("refuses before the body is read, and before anything is done", async () => {
  const { world } = await start("defaults: { user: { requestsPerMinute: 0 } }");
  await using _ = world;
  const answer = await ask(world, "ada", {
    ...runOf("ada"),
    payload: "{ not json",
    headers: { "content-type": "application/json" },
  });
  expect([answer.statusCode, answer.json().reason]).toEqual([429, "QUOTA_EXCEEDED"]);
});

it("counts by key, app and tenant too, and an app that only the body names", async () => {
  const { world } = await start(
    "defaults: { key: { requestsPerMinute: 2 }, app: { requestsPerMinute: 4 }, tenant: { requestsPerMinute: 6 } }",
  );
  await using _ = world;
  for (const user of ["ada", "bob"]) await world.store.createSession({ appName: "echo", userId: user, id: "talk" });
  const statuses = [];
  for (const caller of ["ada/k1", "ada/k1", "ada/k1", "ada/k2", "bob"])
    statuses.push((await ask(world, caller, runOf(caller.split("/")[0] ?? ""))).statusCode);
  expect(statuses).toEqual([200, 200, 429, 200, 200]);
  const full = await ask(world, "bob", runOf("bob"));
  expect([full.statusCode, full.json().details]).toMatchObject([429, { scope: "app" }]);
  // Of a path that names no app.
  const others = [];
  for (let request = 0; request < 2; request += 1) others.push(await ask(world, "eva", { url: "/v1/runs?userId=eva" }));
  expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 429]);
  expect(others[1]?.json().details).toMatchObject({ scope: "tenant" });
});

it("counts an app that only the query names", async () => {
  verifies("quotas:requests");
  const { world } = await start("defaults: { app: { requestsPerMinute: 1 } }");
  await using _ = world;
  const statuses = [];
  for (const url of ["/v1/runs?userId=ada&appName=echo", "/v1/runs?userId=ada&appName=echo", "/v1/runs?userId=ada"])
    statuses.push((await ask(world, "ada", { url })).statusCode);
  expect(statuses).toEqual([200, 429, 200]);
});

it("counts the default app for requests that leave out its name", async () => {
  verifies("quotas:requests");
  const rules = "defaults: { app: { requestsPerMinute: 2 } }";
  const { world } = await start(rules, {}, { DEFAULT_APP_NAME: "echo" });
  await using _ = world;
  const statuses: number[] = [];
  for (const url of ["/users/ada/sessions", "/apps/echo/users/ada/sessions", "/users/ada/sessions", "/app-info"])
    statuses.push((await ask(world, "ada", { url })).statusCode);
  expect(statuses).toEqual([200, 200, 429, 429]);
});

it("counts each tenant for itself, for the same user, key and app", async () => {
  const quotas = quotasOf("defaults: { user: { requestsPerMinute: 1 }, tenant: { requestsPerMinute: 1 } }");
  const byTenant: Authenticator = {
    authenticate: ({ headers: { authorization = "" } }) => {
      const caller: Caller = { ...EVERYBODY, source: "oidc", userId: "ada", tenantId: authorization };
      return caller;
    },
  };
  await using world = await startGateway({ deps: { authenticators: [byTenant], quotas } });
  const statuses = [];
  for (const tenant of ["acme", "globex", "default", "acme"])
    statuses.push((await ask(world, tenant, listOf("ada"))).statusCode);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

it("refuses a run for the budget of its own tenant, not for that of another tenant's user of the same name", async () => {
  const clock = new FixedClock();
  const ledger = new InMemoryQuotaLedger({ clock });
  const quotas = quotasOf("defaults: { user: { tokensPerDay: 10 } }", { clock, ledger });
  const byTenant: Authenticator = {
    authenticate: ({ headers: { authorization = "" } }) => {
      const caller: Caller = { ...EVERYBODY, source: "oidc", userId: "ada", tenantId: authorization, scopes: OWN };
      return caller;
    },
  };
  await using world = await startGateway({ clock, deps: { authenticators: [byTenant], quotas } });
  const [limit] = quotas.limitsOf({ userId: "ada" }, ["tokensPerDay"]);
  if (limit === undefined) throw new Error("There is no limit.");
  const statuses = [];
  for (const used of ["acme", "default"]) {
    await ledger.spend({ tenantId: used, charges: [{ ...limit, amount: 10 }] });
    for (const tenant of ["acme", "globex", "default"])
      statuses.push((await ask(world, tenant, runOf("ada"))).statusCode);
  }
  // 404: the budget has room, and there is no session.
  expect(statuses).toEqual([429, 404, 404, 429, 404, 429]);
});

it("counts nothing for callers that are refused, neither for them nor for the user whom they name", async () => {
  verifies("quotas:own");
  const { world } = await start("defaults: { user: { requestsPerMinute: 1 } }");
  await using _ = world;
  for (let request = 0; request < 3; request += 1) {
    expect((await ask(world, "eva", listOf("ada"))).statusCode).toBe(403);
    expect((await world.gateway.inject(listOf("ada"))).statusCode).toBe(401);
  }
  expect((await ask(world, "ada", listOf("ada"))).statusCode).toBe(200);
  expect((await ask(world, "eva", runOf("ada"))).statusCode).toBe(403);
});

it("does not count public routes and unknown paths", async () => {
  const { world } = await start("defaults: { tenant: { requestsPerMinute: 0 } }");
  await using _ = world;
  expect((await world.gateway.inject("/health")).statusCode).toBe(200);
  expect((await ask(world, "ada", { url: "/nothing" })).statusCode).toBe(404);
});

it("refuses a run whose budget is used up before it begins", async () => {
  verifies("quotas:budgets");
  const clock = new FixedClock();
  const ledger = new InMemoryQuotaLedger({ clock });
  const quotas = quotasOf("defaults: { user: { tokensPerDay: 10 } }", { clock, ledger });
  await using world = await startGateway({ clock, deps: { authenticators: BY_NAME, quotas } });
  for (const user of ["ada", "bob"]) await world.store.createSession({ appName: "echo", userId: user, id: "talk" });
  const [limit] = quotas.limitsOf({ userId: "ada" }, ["tokensPerDay"]);
  if (limit === undefined) throw new Error("There is no limit.");
  await ledger.spend({ charges: [{ ...limit, amount: 10 }] });
  for (const url of ["/run", "/run_sse", "/v1/runs"]) {
    const refused = await ask(world, "ada", { ...runOf("ada"), url });
    expect([refused.statusCode, refused.body]).toEqual([429, expect.stringContaining("tokensPerDay")]);
  }
  expect((await world.store.list({})).runs).toEqual([]);
  expect((await ask(world, "bob", runOf("bob"))).statusCode).toBe(200);
});

it.each([
  ["allow", 200],
  ["refuse", 503],
] as const)("answers requests while the counts cannot be read as the file demands: %s", async (demand, status) => {
  verifies("quotas:unavailable");
  const fail = async () => {
    throw new PlatformError("STORE_UNAVAILABLE", "The counts are unavailable.");
  };
  const ledger = { spend: fail, reserve: fail, read: fail, settle: () => {} };
  const { world } = await start(
    `{ defaults: { user: { requestsPerMinute: 1, tokensPerDay: 1 } }, whenUnavailable: { requests: ${demand} } }`,
    { ledger },
  );
  await using _ = world;
  await world.store.createSession({ appName: "echo", userId: "ada", id: "talk" });
  expect((await ask(world, "ada", runOf("ada"))).statusCode).toBe(status);
});

it("counts nothing and adds no header without quotas", async () => {
  await using world = await startGateway({ deps: { authenticators: BY_NAME } });
  const { headers } = await ask(world, "ada", listOf("ada"));
  expect(Object.keys(headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
});

it("limits open streams, and frees the place of one that ends", async () => {
  verifies("quotas:streams");
  const { world } = await start("defaults: { user: { openStreams: 1 } }");
  await using _ = world;
  await world.store.createSession({ appName: "echo", userId: "ada", id: "talk" });
  const base = await world.listen();
  const headers = { authorization: "ada" };
  const open = () => fetch(`${base}/v1/apps/echo/users/ada/sessions/talk/stream`, { headers });
  const first = await open();
  expect(first.status).toBe(200);
  const second = await open();
  expect([second.status, await second.text()]).toEqual([429, expect.stringContaining("openStreams")]);
  await first.body?.cancel();
  await expect.poll(async () => (await open()).status).toBe(200);
});
