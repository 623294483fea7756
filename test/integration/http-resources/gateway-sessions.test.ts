import { once } from "node:events";
import { get } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createEventActions } from "#kit/events/event-actions.ts";
import type { CreateSessionRequest } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SESSIONS = "/apps/echo/users/u/sessions";
const clock = () => new FixedClock(1_787_140_000_500);
const session = (id: string, rest: object = {}) => ({
  id,
  appName: "echo",
  userId: "u",
  state: {},
  events: [],
  lastUpdateTime: 1_787_140_000.5,
  ...rest,
});

describe("creating a session", () => {
  it.each([[undefined], ["null"], ["{}"], ['{"foo":1}'], ['{"state":null,"events":null,"sessionId":null}']])(
    "takes the body %s and makes the id",
    async (payload) => {
      verifies(
        "endpoints-http:create-session",
        "endpoints-http:create-session:response",
        "what-the-service-does:create-session",
        "wire:session:empty-body",
        "wire:output:session-always",
        "wire:session:last-update-time",
        "server-objects:field-types:session-request",
      );
      await using world = await startGateway({ clock: clock() });
      const headers = payload === undefined ? {} : { "content-type": "application/json" };
      const response = await world.gateway.inject({
        method: "POST",
        url: SESSIONS,
        headers,
        ...(payload && { payload }),
      });
      expect(response.statusCode).toBe(200);
      const body = response.json<{ id: string }>();
      expect(body).toEqual(session(body.id));
      expect(body.id).not.toBe("");
    },
  );

  it("keeps state and id as they were given, in either spelling", async () => {
    verifies(
      "endpoints-http:get-session",
      "endpoints-http:get-session:route",
      "what-the-service-does:get-session",
      "server-objects:session-request:state",
      "wire:input:casing",
      "wire:output:casing",
    );
    await using world = await startGateway({ clock: clock() });
    const state = { city: "Rome", snake_key: { session_id: [1, null] }, __session_metadata__: { displayName: "Trip" } };
    const camel = await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { sessionId: "a b/ü", state } });
    const snake = await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { session_id: "s2" } });
    expect([camel.json(), snake.json()]).toEqual([session("a b/ü", { state }), session("s2")]);
    const read = await world.gateway.inject(`${SESSIONS}/${encodeURIComponent("a b/ü")}`);
    expect(read.json()).toEqual(session("a b/ü", { state }));
  });

  it("under an id in the path takes the state bare, as Python clients send it, or wrapped, as the others do", async () => {
    verifies("endpoints-http:create-session-with-id");
    await using world = await startGateway({ clock: clock() });
    const create = (id: string, payload: object) =>
      world.gateway.inject({ method: "POST", url: `${SESSIONS}/${id}`, payload });
    expect((await create("bare", { city: "Rome" })).json()).toEqual(session("bare", { state: { city: "Rome" } }));
    expect((await create("wrapped", { state: { city: "Rome" } })).json()).toEqual(
      session("wrapped", { state: { city: "Rome" } }),
    );
    expect((await create("word", { state: "CA" })).json()).toEqual(session("word", { state: { state: "CA" } }));
    expect((await create("both", { state: {}, city: "Rome" })).json()).toEqual(
      session("both", { state: { state: {}, city: "Rome" } }),
    );
  });

  it("answers 409 for an id that is taken and leaves the session alone", async () => {
    verifies("errors:http:conflict", "wire:session:duplicate-id");
    await using world = await startGateway({ clock: clock() });
    await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s`, payload: { city: "Rome" } });
    const again = await world.gateway.inject({
      method: "POST",
      url: SESSIONS,
      payload: { sessionId: "s", state: { city: "Oslo" } },
    });
    expect(again.statusCode).toBe(409);
    expect(again.json()).toMatchObject({
      detail: "Session already exists: s",
      reason: "SESSION_ALREADY_EXISTS",
      status: 409,
    });
    expect((await world.gateway.inject(`${SESSIONS}/s`)).json()).toEqual(session("s", { state: { city: "Rome" } }));
  });

  it("starts with the history that it is given", async () => {
    verifies("wire:output:nulls", "wire:event:timestamp");
    await using world = await startGateway({ clock: clock() });
    const events = [
      {
        author: "user",
        invocation_id: "e-1",
        timestamp: 1_787_139_999.25,
        content: { role: "user", parts: [{ text: "hi" }] },
      },
      {
        author: "echo",
        invocationId: "e-1",
        id: "answer",
        content: { parts: [{ functionCall: { name: "add", args: { a_b: 1 } } }] },
      },
    ];
    const created = await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { sessionId: "s", events } });
    expect(created.statusCode).toBe(200);
    const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    const expected = [
      {
        id: expect.any(String),
        invocationId: "e-1",
        author: "user",
        timestamp: 1_787_139_999_250,
        content: events[0]?.content,
        actions,
      },
      {
        id: "answer",
        invocationId: "e-1",
        author: "echo",
        timestamp: 1_787_140_000_500,
        content: events[1]?.content,
        actions,
      },
    ];
    expect(created.json<{ events: unknown }>().events).toEqual(expected);
    expect((await world.gateway.inject(`${SESSIONS}/s`)).json<{ events: unknown }>().events).toEqual(expected);
  });

  it("takes a session that it has given, with its state, files and transfers", async () => {
    verifies("session:import:exported");
    await using world = await startGateway({
      script: async (run) => {
        const saved = {
          stateDelta: { city: "Oslo", draft: "x", "app:open": 1, "user:lang": "no" },
          artifactDelta: { "a.txt": 0 },
        };
        await run.say({ content: { role: "model", parts: [{ text: "hello" }] }, actions: createEventActions(saved) });
        await run.say({ actions: createEventActions({ stateDelta: { draft: null }, transferToAgent: "helper" }) });
      },
    });
    await world.store.createSession({ appName: "echo", userId: "u", id: "s" });
    const newMessage = { role: "user", parts: [{ text: "hi" }] };
    const run = { appName: "echo", userId: "u", sessionId: "s", newMessage };
    await world.gateway.inject({ method: "POST", url: "/run", payload: run });
    const stateDelta = { __session_metadata__: { displayName: "Trip" } };
    await world.gateway.inject({ method: "PATCH", url: `${SESSIONS}/s`, payload: { stateDelta } });
    const { state, events } = (await world.gateway.inject(`${SESSIONS}/s`)).json();
    const own = { city: "Oslo", "user:lang": "no", ...stateDelta };
    expect([state, events.length]).toEqual([{ ...own, "app:open": 1 }, 4]);
    const created = await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { state, events } });
    expect([created.statusCode, created.json()]).toMatchObject([200, { state, events: { length: 4 } }]);
    // On a server that has no state of that app.
    await using other = await startGateway();
    const moved = await other.gateway.inject({ method: "POST", url: SESSIONS, payload: { state, events } });
    expect([moved.statusCode, moved.json().state]).toEqual([200, own]);
    const without = await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { events } });
    expect(without.statusCode).toBe(400);
  });

  it("refuses history that acts, and makes no session of it", async () => {
    await using world = await startGateway();
    const events = [{ author: "user" }, { author: "echo", actions: { stateDelta: { a: 1 } } }];
    const refused = await world.gateway.inject({
      method: "POST",
      url: `${SESSIONS}/s`,
      payload: { state: {}, events },
    });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { detail: "Session initialization event 1 cannot include actions." },
    ]);
    expect((await world.gateway.inject(`${SESSIONS}/s`)).statusCode).toBe(404);
  });

  it.each([
    [{ state: [1] }, ["body", "state"]],
    [{ sessionId: 5 }, ["body", "sessionId"]],
    [{ events: [{ author: "user" }, { content: {} }] }, ["body", "events", 1, "author"]],
    [[], ["body"]],
  ])("answers 422 with the place of what is wrong in %j", async (payload, loc) => {
    await using world = await startGateway();
    const response = await world.gateway.inject({ method: "POST", url: SESSIONS, payload });
    expect(response.statusCode).toBe(422);
    expect(response.json<{ detail: unknown }>().detail).toEqual([expect.objectContaining({ loc })]);
  });

  it.each(["_adk_replay_config", "app:_adk_x", "constructor"])("refuses the state key %s", async (key) => {
    verifies("session:state:reserved-keys");
    await using world = await startGateway();
    for (const [method, url, payload] of [
      ["POST", SESSIONS, { state: { [key]: 1 } }],
      ["POST", `${SESSIONS}/s`, { [key]: 1 }],
      ["PATCH", `${SESSIONS}/s`, { stateDelta: { [key]: 1 } }],
    ] as const) {
      const response = await world.gateway.inject({ method, url, payload });
      expect([response.statusCode, response.json()]).toMatchObject([
        400,
        { reason: "RESERVED_STATE_KEY", details: { key } },
      ]);
    }
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([]);
  });
});

describe("reading sessions", () => {
  it("lists as a bare array without events and without evaluation sessions", async () => {
    verifies(
      "endpoints-http:list-sessions",
      "endpoints-http:list-sessions:route",
      "what-the-service-does:list-sessions",
    );
    await using world = await startGateway({ clock: clock() });
    for (const id of ["a", "ADK_EVAL_x", "___eval___session___y"]) {
      await world.gateway.inject({ method: "POST", url: `${SESSIONS}/${id}`, payload: { city: id } });
    }
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([session("a", { state: { city: "a" } })]);
    expect((await world.gateway.inject("/apps/echo/users/nobody/sessions")).json()).toEqual([]);
  });

  it("pages when it is asked to", async () => {
    verifies("wire:session:list-pages");
    await using world = await startGateway();
    for (const id of ["a", "b", "c"]) await world.gateway.inject({ method: "POST", url: `${SESSIONS}/${id}` });
    const ids: string[] = [];
    let token: unknown = "";
    while (token !== undefined) {
      const page = await world.gateway.inject({
        url: SESSIONS,
        query: { pageSize: "2", ...(token !== "" && { pageToken: String(token) }) },
      });
      for (const { id } of page.json<{ id: string }[]>()) ids.push(id);
      token = page.headers["x-next-page-token"];
    }
    expect(ids).toEqual(["a", "b", "c"]);
  });

  it.each(["/apps/echo/users/u/sessions/nope", "/apps/echo/users/other/sessions/s", "/apps/other/users/u/sessions/s"])(
    "answers 404 for %s",
    async (url) => {
      verifies("endpoints-http:get-session:route", "what-the-service-does:sessions-of-app-and-user");
      await using world = await startGateway();
      await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s` });
      const response = await world.gateway.inject(url);
      expect([response.statusCode, response.json()]).toMatchObject([404, { reason: "SESSION_NOT_FOUND" }]);
    },
  );

  it("does not check that the app exists, nor do its artifacts", async () => {
    verifies("wire:session:unknown-app");
    await using world = await startGateway();
    const url = "/apps/nope/users/u/sessions";
    expect((await world.gateway.inject({ method: "POST", url: `${url}/s` })).statusCode).toBe(200);
    const paths = [url, `${url}/s`, `${url}/s/artifacts`, `${url}/s/artifacts/a.txt/versions`];
    const answers = await Promise.all(paths.map((path) => world.gateway.inject(path)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  });

  it.each(["../../etc/passwd", "a/../../b", "…/ünï", "%2e%2e", "a?b#c"])("keeps %j a plain id", async (id) => {
    await using world = await startGateway({ clock: clock() });
    await world.gateway.inject({ method: "POST", url: `${SESSIONS}/other` });
    const url = `${SESSIONS}/${encodeURIComponent(id)}`;
    expect((await world.gateway.inject({ method: "POST", url })).json()).toEqual(session(id));
    expect((await world.gateway.inject(url)).json()).toEqual(session(id));
    await world.gateway.inject({ method: "DELETE", url });
    expect((await world.gateway.inject(SESSIONS)).json()).toEqual([session("other")]);
  });

  it.each([".", ".."])("keeps %j a plain id, for clients that send it as it is", async (id) => {
    await using world = await startGateway({ clock: clock() });
    await world.gateway.inject({ method: "POST", url: SESSIONS, payload: { sessionId: id } });
    const base = await world.listen();
    // Clients that follow the URL standard resolve such a segment themselves; others send it.
    const [response] = await once(get(base, { path: `${SESSIONS}/${id.replaceAll(".", "%2E")}` }), "response");
    expect(await json(response)).toEqual(session(id));
  });

  it.each(["x".repeat(257), "a\u0000b", "line\nbreak", "x".repeat(9000)])(
    "refuses an id that no store could keep",
    async (id) => {
      await using world = await startGateway();
      for (const method of ["GET", "POST", "DELETE"] as const) {
        const response = await world.gateway.inject({ method, url: `${SESSIONS}/${encodeURIComponent(id)}` });
        expect([response.statusCode, response.json()]).toMatchObject([400, { reason: "INVALID_IDENTIFIER" }]);
      }
    },
  );
});

describe("changing a session", () => {
  it("patches state through an event and answers the session", async () => {
    verifies("wire:session:patch");
    await using world = await startGateway({ clock: clock() });
    await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s`, payload: { city: "Rome", n: 1 } });
    const stateDelta = { city: "Oslo", n: null, __session_metadata__: { displayName: "Trip" }, "temp:t": 1 };
    const patched = await world.gateway.inject({
      method: "PATCH",
      url: `${SESSIONS}/s`,
      payload: { state_delta: stateDelta },
    });
    expect(patched.statusCode).toBe(200);
    const body = patched.json<{ state: unknown; events: { invocationId: string }[] }>();
    expect(body.state).toEqual({ city: "Oslo", __session_metadata__: { displayName: "Trip" } });
    expect(body.events).toEqual([
      expect.objectContaining({ author: "user", invocationId: expect.stringMatching(/^p-/) }),
    ]);
    expect((await world.gateway.inject(`${SESSIONS}/s`)).json()).toEqual(body);
  });

  it("answers 404 for a patch of nothing and 422 for one without a delta", async () => {
    await using world = await startGateway();
    const patch = (payload: object) => world.gateway.inject({ method: "PATCH", url: `${SESSIONS}/s`, payload });
    expect((await patch({ stateDelta: { a: 1 } })).statusCode).toBe(404);
    expect((await patch({})).json()).toMatchObject({
      status: 422,
      detail: [{ type: "missing", loc: ["body", "stateDelta"] }],
    });
    expect((await patch({ stateDelta: [1] })).json()).toMatchObject({
      status: 422,
      detail: [{ loc: ["body", "stateDelta"] }],
    });
  });

  it("deletes the session and its files, but not its user's, twice if asked", async () => {
    verifies(
      "states:delete-session:artifacts",
      "endpoints-http:delete-session",
      "endpoints-http:delete-session:route",
      "what-the-service-does:delete-session",
    );
    await using world = await startGateway();
    const key = { appName: "echo", userId: "u", id: "s" };
    await world.gateway.inject({ method: "POST", url: `${SESSIONS}/s` });
    for (const filename of ["f", "user:kept"])
      await world.artifacts.saveArtifact({ session: key, filename, artifact: { text: "x" } });
    for (let time = 0; time < 2; time++) {
      const response = await world.gateway.inject({ method: "DELETE", url: `${SESSIONS}/s` });
      expect([response.statusCode, response.body]).toEqual([200, "null"]);
    }
    expect((await world.gateway.inject(`${SESSIONS}/s`)).statusCode).toBe(404);
    expect(await world.artifacts.listArtifactKeys(key)).toEqual({ filenames: ["user:kept"] });
  });

  it("shows no more events than the state it answers belongs to", async () => {
    await using world = await startGateway();
    const { sessionService } = world.deps;
    await sessionService.createSession({ appName: "echo", userId: "u", id: "s" } satisfies CreateSessionRequest);
    const getSession = sessionService.getSession.bind(sessionService);
    const key = { appName: "echo", userId: "u", id: "s" };
    // A run writes between the two reads that answer one request.
    sessionService.getSession = async (...args) => {
      const read = await getSession(...args);
      await sessionService.applyStateDelta({ ...key, stateDelta: { late: true }, author: "echo", invocationId: "e-1" });
      return read;
    };
    expect((await world.gateway.inject(`${SESSIONS}/s`)).json()).toMatchObject({ state: {}, events: [] });
  });
});
