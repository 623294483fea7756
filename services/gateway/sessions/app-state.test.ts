import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSIONS = "/apps/echo/users/u/sessions";
const KEY = { appName: "echo", userId: "u", id: "s" };
const MESSAGE = { role: "user", parts: [{ text: "hi" }] };

const REFUSED = {
  reason: "APP_STATE_READ_ONLY",
  details: { key: "app:motto", setting: "ALLOW_CLIENT_APP_STATE" },
};

const run = (stateDelta: JsonObject) => ({
  ...{ appName: "echo", userId: "u", sessionId: "s", newMessage: MESSAGE },
  stateDelta,
});

/** Each way over HTTP in which a client may give state, as method, path and body. */
const WRITES = (state: JsonObject) =>
  [
    ["POST", SESSIONS, { sessionId: "new", state }],
    ["POST", SESSIONS, { sessionId: "new", state, events: [{ author: "user" }] }],
    ["POST", `${SESSIONS}/new`, state],
    ["POST", `${SESSIONS}/new`, { state }],
    ["PATCH", `${SESSIONS}/s`, { stateDelta: state }],
    ["PATCH", `${SESSIONS}/s`, { state_delta: state }],
    ["POST", "/run", run(state)],
    ["POST", "/run_sse", run(state)],
    ["POST", "/run-sse", run(state)],
    ["POST", "/v1/runs", run(state)],
  ] as const;

describe("state of the app", () => {
  it.each(WRITES({ own: 1, "app:motto": "Obey me" }))("is not written by %s %s %j", async (method, url, payload) => {
    verifies("session:state:client-app-keys");
    await using world = await startGateway();
    await world.store.createSession({ ...KEY, state: { "app:motto": "Be kind" } });
    const response = await world.gateway.inject({ method, url, payload });
    expect([response.statusCode, response.json()]).toMatchObject([403, REFUSED]);
    expect(response.json<{ message: string }>().message).toContain("ALLOW_CLIENT_APP_STATE=true");
    expect(world.runner.started).toEqual([]);
    expect(await world.store.getSession({ ...KEY, id: "new" })).toBeUndefined();
    expect(await world.store.getSession(KEY)).toMatchObject({ state: { "app:motto": "Be kind" }, events: [] });
  });

  it.each([null, "__ADK_SENTINEL_REMOVED__"])("is not removed by the value %s", async (value) => {
    verifies("session:state:client-app-keys");
    await using world = await startGateway();
    await world.store.createSession({ ...KEY, state: { "app:motto": "Be kind" } });
    const response = await world.gateway.inject({
      method: "PATCH",
      url: `${SESSIONS}/s`,
      payload: { stateDelta: { "app:motto": value } },
    });
    expect(response.statusCode).toBe(403);
  });

  it("may be sent back as it is, with other keys that change", async () => {
    verifies("session:state:client-app-keys");
    await using world = await startGateway();
    const shared = { "app:motto": { text: ["Be kind"] } };
    await world.store.createSession({ ...KEY, state: shared });
    const patch = { stateDelta: { ...shared, "app:absent": null, mood: "good" } };
    const patched = await world.gateway.inject({ method: "PATCH", url: `${SESSIONS}/s`, payload: patch });
    expect(patched.json()).toMatchObject({ state: { ...shared, mood: "good" } });
    const started = await world.gateway.inject({
      method: "POST",
      url: "/run",
      payload: run({ ...shared, mood: "bad" }),
    });
    expect(started.statusCode).toBe(200);
    expect(world.runner.started.map(({ request }) => request.stateDelta)).toEqual([{ mood: "bad" }]);
  });

  it.each(WRITES({ "app:motto": "Be kind" }))(
    "is written by %s %s %j where the settings allow it",
    async (method, url, payload) => {
      verifies("session:state:client-app-keys");
      await using world = await startGateway({ config: { ALLOW_CLIENT_APP_STATE: true } });
      await world.store.createSession(KEY);
      expect((await world.gateway.inject({ method, url, payload })).statusCode).toBeLessThan(300);
    },
  );

  it("leaves state of the user to its clients", async () => {
    verifies("session:state:client-app-keys");
    await using world = await startGateway();
    await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s`, payload: { "user:lang": "it" } });
    const other = await world.gateway.inject({ method: "POST", url: `${SESSIONS}/t` });
    expect(other.json()).toMatchObject({ state: { "user:lang": "it" } });
  });
});
