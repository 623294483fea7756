import { describe, expect, it } from "vitest";
import { MAX_INLINE_DATA_BYTES } from "#kit/artifacts/inline-data.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const RUN = { appName: "echo", userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "hi" }] } };
const KEY = { appName: "echo", userId: "u", id: "s" };

const createSession = (world: GatewayWorld) => world.store.createSession(KEY);
const run = (world: GatewayWorld, payload: object = RUN, url = "/run") =>
  world.gateway.inject({ method: "POST", url, payload });
const textsOf = (body: unknown): unknown =>
  (body as { content: { parts: { text: string }[] } }[]).map(({ content }) => content.parts[0]?.text);

describe("POST /run", () => {
  it("answers the agent's complete events and neither the user's nor the partial ones", async () => {
    verifies("endpoints-http:run", "endpoints-http:run:response", "what-the-service-does:run-blocking");
    await using world = await startGateway({
      script: async (scripted) => {
        await scripted.partial("hel");
        await scripted.say("hello");
        await scripted.say("bye");
      },
    });
    await createSession(world);
    const response = await run(world, { ...RUN, streaming: true });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    const { events } = await world.store.listEventRecords(KEY);
    expect(response.body).toBe(
      `[${events
        .slice(1)
        .map(({ json }) => json)
        .join(",")}]`,
    );
    expect(textsOf(response.json())).toEqual(["hello", "bye"]);
  });

  it.each(["/run", "/run_sse", "/run-sse"])("passes on the whole request, in either spelling: %s", async (url) => {
    verifies(
      "server-objects:field-types:run-request",
      "server-objects:run-request:endpoints",
      "wire:input:casing",
      "server-objects:run-request:app-name",
      "server-objects:run-request:user-id",
      "server-objects:run-request:session-id",
      "server-objects:run-request:new-message",
      "server-objects:run-request:state-delta",
      "server-objects:run-request:streaming",
    );
    await using world = await startGateway();
    await createSession(world);
    const body = {
      app_name: "echo",
      user_id: "u",
      session_id: "s",
      new_message: { parts: [{ inline_data: { mime_type: "text/plain", data: "-_8" } }] },
      state_delta: { my_key: 1, "temp:x": 2 },
      streaming: "true",
      invocation_id: "e-9",
      function_call_event_id: "f",
      custom_metadata: { a_b: 1 },
      policy: "interrupt",
      timeout_ms: 500,
      unknown_field: true,
    };
    await run(world, body, url);
    expect(world.runner.started).toEqual([
      {
        runId: expect.any(String),
        session: KEY,
        policy: "interrupt",
        timeoutMs: 500,
        request: {
          newMessage: { parts: [{ inlineData: { mimeType: "text/plain", data: "+/8=" } }] },
          stateDelta: { my_key: 1, "temp:x": 2 },
          streaming: true,
          invocationId: "e-9",
          functionCallEventId: "f",
          customMetadata: { a_b: 1 },
        },
      },
    ]);
  });

  it("takes what the developer UI sends, nulls included, and runs without a message", async () => {
    await using world = await startGateway();
    await createSession(world);
    expect(
      (await run(world, { ...RUN, streaming: false, stateDelta: null, functionCallEventId: null })).statusCode,
    ).toBe(200);
    expect((await run(world, { ...RUN, newMessage: null })).statusCode).toBe(200);
    expect(world.runner.started.map(({ request }) => request)).toEqual([{ newMessage: RUN.newMessage }, {}]);
  });

  it("answers a failed run with its status and the events so far", async () => {
    verifies("wire:run:failure");
    await using world = await startGateway({
      script: async (scripted) => {
        await scripted.say("half");
        return {
          status: "failed",
          error: { code: "RESOURCE_EXHAUSTED", reason: "MODEL_RATE_LIMITED", message: "Slow down." },
        };
      },
    });
    await createSession(world);
    const response = await run(world);
    expect(response.statusCode).toBe(429);
    const { events, requestId, ...body } = response.json<{ events: unknown; requestId: string }>();
    expect(body).toEqual({
      detail: "Slow down.",
      error: "Slow down.",
      message: "Slow down.",
      status: 429,
      path: "/run",
      code: "RESOURCE_EXHAUSTED",
      reason: "MODEL_RATE_LIMITED",
      details: {},
    });
    expect(response.headers["x-request-id"]).toBe(requestId);
    expect(textsOf(events)).toEqual(["half"]);
  });

  it.each([
    [{ status: "failed", error: { code: "X", reason: "NEVER_HEARD_OF", message: "boom" } }, 500, "RUN_FAILED"],
    [{ status: "cancelled" }, 499, "RUN_CANCELLED"],
    [{ status: "interrupted" }, 409, "RUN_INTERRUPTED"],
    [{ status: "timed_out" }, 504, "RUN_TIMED_OUT"],
  ] as const)("answers a run that ended as %j with %i", async (ending, status, reason) => {
    await using world = await startGateway({ script: async () => ending });
    await createSession(world);
    const response = await run(world);
    expect([response.statusCode, response.json()]).toMatchObject([status, { reason, events: [] }]);
  });

  it("answers a run that waits for its user like any other", async () => {
    await using world = await startGateway({
      script: async (scripted) => {
        await scripted.say("Approve?");
        return { status: "awaiting_input" };
      },
    });
    await createSession(world);
    const response = await run(world);
    expect([response.statusCode, textsOf(response.json())]).toEqual([200, ["Approve?"]]);
  });

  it.each([
    [
      {},
      [
        ["body", "userId"],
        ["body", "sessionId"],
      ],
    ],
    [{ ...RUN, userId: 5 }, [["body", "userId"]]],
    [{ ...RUN, newMessage: "hi" }, [["body", "newMessage"]]],
    [{ ...RUN, newMessage: { parts: [{ text: 1 }] } }, [["body", "newMessage", "parts", 0, "text"]]],
    [
      { ...RUN, newMessage: { parts: [{ inlineData: { data: "***" } }] } },
      [["body", "newMessage", "parts", 0, "inlineData", "data"]],
    ],
    [{ ...RUN, streaming: "maybe" }, [["body", "streaming"]]],
    [{ ...RUN, stateDelta: [1] }, [["body", "stateDelta"]]],
    [{ ...RUN, policy: "later" }, [["body", "policy"]]],
  ])("answers 422 with every place that is wrong in %j", async (payload, places) => {
    verifies("errors:http:invalid-field", "server-objects:field-types:run-request");
    await using world = await startGateway();
    await createSession(world);
    const response = await run(world, payload);
    expect(response.statusCode).toBe(422);
    expect(response.json<{ detail: { loc: unknown }[] }>().detail.map(({ loc }) => loc)).toEqual(places);
    expect(world.runner.started).toEqual([]);
  });

  it("answers 400 without an app, and uses the default app where there is one", async () => {
    const { appName: _none, ...withoutApp } = RUN;
    await using world = await startGateway();
    expect((await run(world, withoutApp)).json()).toMatchObject({ status: 400, reason: "APP_NAME_MISSING" });
    await using withDefault = await startGateway({ config: { DEFAULT_APP_NAME: "echo" } });
    await withDefault.gateway.inject({ method: "POST", url: "/users/u/sessions/s" });
    expect((await run(withDefault, withoutApp)).statusCode).toBe(200);
  });

  it.each([
    [{ ...RUN, appName: "nope" }, 404, "APP_NOT_FOUND"],
    [{ ...RUN, sessionId: "nope" }, 404, "SESSION_NOT_FOUND"],
    [{ ...RUN, stateDelta: { _adk_replay_config: {} } }, 400, "RESERVED_STATE_KEY"],
    [{ ...RUN, sessionId: "a\u0000b" }, 400, "INVALID_IDENTIFIER"],
  ])("refuses %j before anything is stored", async (payload, status, reason) => {
    verifies("wire:run:unknown-app", "wire:run:unknown-session");
    await using world = await startGateway();
    await createSession(world);
    for (const url of ["/run", "/run_sse", "/run-sse", "/v1/runs"]) {
      const response = await run(world, payload, url);
      expect([response.statusCode, response.json()]).toMatchObject([status, { reason }]);
    }
    expect((await world.store.listEventRecords(KEY)).events).toEqual([]);
  });

  it("creates the session of a run where the server is set to", async () => {
    verifies("wire:run:unknown-session");
    await using world = await startGateway({ config: { AUTO_CREATE_SESSION: true } });
    expect((await run(world)).statusCode).toBe(200);
    expect(await world.store.getSession(KEY)).toMatchObject(KEY);
  });

  it("keeps large data out of the run and puts it back for every reader", async () => {
    verifies("wire:inline-data");
    const data = Buffer.alloc(256 * 1024 + 3).toString("base64");
    const newMessage = { role: "user", parts: [{ text: "see" }, { inlineData: { mimeType: "image/png", data } }] };
    await using world = await startGateway({
      script: async ({ request, say }) => say({ content: request.newMessage ?? {} }),
    });
    await createSession(world);
    const answered = await run(world, { ...RUN, newMessage });
    expect(answered.json()).toMatchObject([{ content: newMessage }]);
    expect(JSON.stringify(world.runner.started[0])).not.toContain(data);
    expect((await world.store.listEventRecords(KEY)).events.every(({ json }) => json.length < 1000)).toBe(true);
    const read = await world.gateway.inject("/apps/echo/users/u/sessions/s");
    expect(read.json()).toMatchObject({ events: [{ content: newMessage }, { content: newMessage }] });
  });

  it("keeps data of up to 256 KiB in the run", async () => {
    verifies("wire:inline-data");
    const data = Buffer.alloc(256 * 1024).toString("base64");
    const newMessage = { role: "user", parts: [{ inlineData: { mimeType: "image/png", data } }] };
    await using world = await startGateway();
    await createSession(world);
    await run(world, { ...RUN, newMessage });
    expect(world.runner.started.map(({ request }) => request.newMessage)).toEqual([newMessage]);
  });

  it("keeps no large data of a request that is refused", async () => {
    const data = Buffer.alloc(MAX_INLINE_DATA_BYTES + 3).toString("base64");
    const newMessage = { parts: [{ inlineData: { mimeType: "image/png", data } }] };
    await using world = await startGateway();
    let saved = 0;
    world.artifacts.saveArtifact = () => Promise.reject(new Error(`saved ${++saved}`));
    expect((await run(world, { ...RUN, newMessage })).json()).toMatchObject({ reason: "SESSION_NOT_FOUND" });
    expect((await run(world, { ...RUN, appName: "nope", newMessage })).json()).toMatchObject({
      reason: "APP_NOT_FOUND",
    });
    expect(saved).toBe(0);
  });

  it("limits a run to half an hour by default", async () => {
    verifies("limits:run-duration");
    await using world = await startGateway();
    await createSession(world);
    for (const timeoutMs of [undefined, 2 ** 31 - 1, 500]) await run(world, { ...RUN, timeoutMs });
    expect(world.runner.started.map(({ timeoutMs }) => timeoutMs)).toEqual([1_800_000, 1_800_000, 500]);
  });

  it("limits a run to the shorter of the caller's and the server's time", async () => {
    await using world = await startGateway({ config: { RUN_TIMEOUT_MS: 1000 } });
    await createSession(world);
    for (const timeoutMs of [undefined, 500, 5000]) await run(world, { ...RUN, timeoutMs });
    expect(world.runner.started.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 500, 1000]);
  });
});
