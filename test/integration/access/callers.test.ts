import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { type Caller, EVERYBODY } from "#services/gateway/identity/caller.ts";
import { SCOPES, type Scope } from "#services/gateway/identity/scopes.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { type GatewayWorld, type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const OWN_SCOPES = new Set<Scope>(SCOPES.filter((scope) => scope !== "users:all"));

/** A caller whose credentials are its user's name, with these members besides. */
function users(members: Readonly<Record<string, Partial<Caller>>>): readonly Authenticator[] {
  return [
    {
      authenticate: ({ headers: { authorization = "" } }) => {
        const found = members[authorization];
        if (found === undefined) return undefined;
        const caller = { ...EVERYBODY, source: "api-key", subject: `key:${authorization}` } as const;
        return { ...caller, userId: authorization, scopes: OWN_SCOPES, ...found };
      },
    },
  ];
}

const TWO = users({ ada: {}, bob: {} });

function start(options: GatewayWorldOptions = {}): Promise<GatewayWorld> {
  return startGateway({ ...options, deps: { authenticators: TWO, ...options.deps } });
}

async function ask(world: GatewayWorld, user: string, request: InjectOptions): Promise<readonly [number, string]> {
  const headers = { ...request.headers, authorization: user };
  const { statusCode, body } = await world.gateway.inject({ ...request, headers });
  return [statusCode, body];
}

function runOf(userId: string, text = "hello", sessionId = "talk"): InjectOptions {
  const payload = { appName: "echo", userId, sessionId, newMessage: { role: "user", parts: [{ text }] } };
  return { method: "POST", url: "/run", payload };
}

async function createTalks(world: GatewayWorld): Promise<void> {
  for (const userId of ["ada", "bob"]) await world.store.createSession({ appName: "echo", userId, id: "talk" });
}

describe("lists and cursors of two users", () => {
  it("have the caller's own runs only, whatever the query and the page token", async () => {
    verifies("authentication:foreign-user");
    await using world = await start();
    await createTalks(world);
    for (const user of ["ada", "bob", "bob", "ada"]) await ask(world, user, runOf(user, `of ${user}`));
    const usersOf = async (user: string, url: string) => {
      const [status, body] = await ask(world, user, { url });
      const { runs = [], nextPageToken } = JSON.parse(body);
      return { status, users: runs.map(({ userId }: { readonly userId: string }) => userId), nextPageToken };
    };
    expect((await usersOf("bob", "/v1/runs")).users).toEqual(["bob", "bob"]);
    const ofAda = await usersOf("ada", "/v1/runs?pageSize=1");
    expect(ofAda.users).toEqual(["ada"]);
    expect((await usersOf("bob", `/v1/runs?pageToken=${ofAda.nextPageToken}`)).users).toEqual(["bob", "bob"]);
    expect((await usersOf("bob", "/v1/runs?find=of%20ada")).users).toEqual([]);
    const [run] = (await world.store.list({ userId: "ada" })).runs;
    expect((await usersOf("bob", `/v1/runs?find=${run?.runId}`)).users).toEqual([]);
    expect((await usersOf("bob", "/v1/runs?userId=ada")).status).toBe(403);
    expect((await usersOf("bob", "/v1/runs?userId=bob&userId=ada")).status).toBe(403);
  });

  it("are refused to credentials without a user", async () => {
    await using world = await start({ deps: { authenticators: users({ key: { userId: undefined } }) } });
    const [status, body] = await ask(world, "key", { url: "/v1/runs" });
    expect([status, JSON.parse(body).reason]).toEqual([403, "USER_NOT_ALLOWED"]);
  });

  it("show nothing of another user after a cursor of that user's stream", async () => {
    await using world = await start();
    await createTalks(world);
    await ask(world, "ada", runOf("ada", "a secret of ada"));
    const [run] = (await world.store.list({ userId: "ada" })).runs;
    const headers = { "last-event-id": "1.1" };
    const [status, body] = await ask(world, "bob", { url: `/v1/runs/${run?.runId}/stream`, headers });
    expect([status, JSON.parse(body).reason]).toEqual([404, "RUN_NOT_FOUND"]);
    const own = "/v1/apps/echo/users/bob/sessions/talk/stream";
    const [, ahead] = await ask(world, "bob", { url: own, headers: { "last-event-id": "2" } });
    expect(JSON.parse(ahead).reason).toBe("INVALID_CURSOR");
  });
});

describe("idempotency keys of two users", () => {
  it("are distinct, although the clients send the same", async () => {
    verifies("authentication:foreign-user");
    await using world = await start();
    await createTalks(world);
    const create = (user: string): InjectOptions => {
      const headers = { "idempotency-key": "once" };
      return { method: "POST", url: `/apps/echo/users/${user}/sessions`, payload: { state: { user } }, headers };
    };
    for (const user of ["ada", "bob"]) {
      const [status, body] = await ask(world, user, create(user));
      expect([status, JSON.parse(body).userId, JSON.parse(body).state]).toEqual([200, user, { user }]);
      expect((await ask(world, user, create(user)))[1]).toBe(body);
    }
  });
});

describe("the body of a request", () => {
  it.each(["userId", "user_id"])("that names another user as %s starts nothing", async (name) => {
    await using world = await start();
    await createTalks(world);
    const { payload } = runOf("bob");
    const { userId: _, ...rest } = payload as Record<string, unknown>;
    const [status] = await ask(world, "ada", { method: "POST", url: "/run", payload: { ...rest, [name]: "bob" } });
    expect(status).toBe(403);
    expect((await world.store.list({})).runs).toEqual([]);
  });

  it("is not read before the route's scope is checked", async () => {
    verifies("authentication:scopes");
    await using world = await start({ deps: { authenticators: users({ ada: { scopes: new Set(["memory"]) } }) } });
    const headers = { "content-type": "application/json" };
    const [status, body] = await ask(world, "ada", { method: "POST", url: "/run", payload: "{", headers });
    expect([status, JSON.parse(body).reason, JSON.parse(body).details]).toEqual([
      403,
      "SCOPE_MISSING",
      { scope: "runs:write" },
    ]);
  });
});

describe("the answer to an app that does not exist", () => {
  it("names the apps that the caller may use, and no others", async () => {
    verifies("wire:run:unknown-app");
    const authenticators = users({ ada: {}, bob: { apps: ["gone"] } });
    await using world = await start({ deps: { authenticators } });
    const errorOf = async (user: string, url: string) => JSON.parse((await ask(world, user, { url }))[1]).error;
    expect(await errorOf("ada", "/apps/eko/app-info")).toBe('App not found: eko: did you mean "echo"? Apps: echo.');
    expect(await errorOf("bob", "/apps/gone/app-info")).toBe("App not found: gone");
    expect(await errorOf("bob", "/apps/echo/app-info")).toBe("App not found: echo");
  });
});

describe("the rules of apps", () => {
  it("hide an app from those whom its rule does not name, and apply again when the file changes", async () => {
    verifies("authentication:apps");
    const path = join(agentsFolder({}).path, "rules.yaml");
    writeFileSync(path, "apps:\n  echo:\n    users: [ada]\n");
    const clock = new FixedClock();
    await using world = await start({ config: { APP_RULES_FILE: path }, clock });
    const appsOf = async (user: string) => JSON.parse((await ask(world, user, { url: "/list-apps" }))[1]);
    expect([await appsOf("ada"), await appsOf("bob")]).toEqual([["echo"], []]);
    const refused = await ask(world, "bob", { url: "/apps/echo/app-info" });
    expect([refused[0], JSON.parse(refused[1]).reason]).toEqual([404, "APP_NOT_FOUND"]);
    const [status, body] = await ask(world, "bob", runOf("bob"));
    expect([status, JSON.parse(body).reason]).toEqual([404, "APP_NOT_FOUND"]);
    writeFileSync(path, "apps:\n  echo:\n    users: [ada, bob]\n");
    clock.advance(1000);
    expect(await appsOf("bob")).toEqual(["echo"]);
  });

  it("also hide the default app from requests that name no app", async () => {
    const path = join(agentsFolder({}).path, "rules.yaml");
    writeFileSync(path, "apps:\n  echo:\n    users: [ada]\n");
    await using world = await start({ config: { APP_RULES_FILE: path, DEFAULT_APP_NAME: "echo" } });
    await createTalks(world);
    const run = (userId: string): InjectOptions => {
      const payload = { userId, sessionId: "talk", newMessage: { role: "user", parts: [{ text: "hello" }] } };
      return { method: "POST", url: "/run", payload };
    };
    const statuses = async (user: string) => [
      (await ask(world, user, { url: `/users/${user}/sessions` }))[0],
      (await ask(world, user, { url: "/app-info" }))[0],
      (await ask(world, user, run(user)))[0],
    ];
    expect([await statuses("ada"), await statuses("bob")]).toEqual([
      [200, 200, 200],
      [404, 404, 404],
    ]);
  });

  it.each(["apps: [", "apps: 1"])("that cannot be read refuse the start: %s", async (text) => {
    const path = join(agentsFolder({}).path, "rules.yaml");
    writeFileSync(path, text);
    await expect(start({ config: { APP_RULES_FILE: path } })).rejects.toMatchObject({ reason: "CONFIGURATION" });
  });
});

describe("state that all users of an app read", () => {
  const create: InjectOptions = {
    method: "POST",
    url: "/apps/echo/users/ada/sessions",
    payload: { state: { "app:rate": 1 } },
  };

  it("is written by callers with the scope for it, where clients may at all", async () => {
    verifies("authentication:scopes");
    const scopes = new Set(OWN_SCOPES);
    scopes.delete("app-state:write");
    const deps = { authenticators: users({ ada: { scopes }, bob: {} }) };
    await using open = await start({ config: { ALLOW_CLIENT_APP_STATE: true }, deps });
    const refused = await ask(open, "ada", create);
    expect([refused[0], JSON.parse(refused[1]).reason]).toEqual([403, "SCOPE_MISSING"]);
    const ofBob = { ...create, url: "/apps/echo/users/bob/sessions" };
    expect((await ask(open, "bob", ofBob))[0]).toBe(200);
    await using closed = await start({ deps });
    expect(JSON.parse((await ask(closed, "bob", ofBob))[1]).reason).toBe("APP_STATE_READ_ONLY");
  });
});

describe("streams of a caller whose credentials expire", () => {
  const clock = new FixedClock();
  const expiring = { authenticators: users({ ada: { expiresAtMs: clock.now() } }) };

  it("end with an error in the form of ADK", async () => {
    verifies("authentication:expiry");
    const { promise, resolve } = Promise.withResolvers<void>();
    await using world = await start({ clock, deps: expiring, script: async () => promise });
    await createTalks(world);
    const [status, body] = await ask(world, "ada", { ...runOf("ada"), url: "/run_sse" });
    const { error_details: details } = JSON.parse(body.replace("data: ", ""));
    expect([status, details.error_type]).toEqual([200, "UNAUTHENTICATED"]);
    resolve();
  });

  it("end so that clients reconnect in the platform's own form", async () => {
    verifies("authentication:expiry");
    const { promise, resolve } = Promise.withResolvers<void>();
    await using world = await start({ clock, deps: expiring, script: async () => promise });
    await createTalks(world);
    const [, started] = await ask(world, "ada", { ...runOf("ada"), url: "/v1/runs" });
    const { runId } = JSON.parse(started);
    const [, ofRun] = await ask(world, "ada", { url: `/v1/runs/${runId}/stream` });
    expect(ofRun).not.toContain("event: end");
    const [, ofSession] = await ask(world, "ada", { url: "/v1/apps/echo/users/ada/sessions/talk/stream" });
    expect(ofSession).toMatch(/data: \{\}\nevent: reconnect\n\n$/);
    resolve();
  });
});
