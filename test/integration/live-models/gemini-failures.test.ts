import { afterEach, describe, expect, it, vi } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { frame } from "#test/helpers/live/frames.ts";
import { ask, ECHO, handleOf, KEY, MODEL, openCall } from "#test/helpers/live/gemini-call.ts";
import { field, GeminiLiveServer, type GeminiSession } from "#test/helpers/live/gemini-live-server.ts";
import { Talk } from "#test/helpers/live/talk.ts";

afterEach(() => void vi.useRealTimers());

describe("a session that ends in the middle of a call", () => {
  it.each<[string, (session: GeminiSession) => void]>([
    [
      "the deadline of ten minutes",
      (session) => session.close(1011, "Deadline expired before operation could complete."),
    ],
    ["a ping that nobody answered", (session) => session.close(1011, "keepalive ping timeout")],
    ["a close without a reason", (session) => session.close(1000)],
    ["a restart", (session) => session.close(1012)],
    ["a server that leaves", (session) => session.close(1001)],
    ["a broken socket", (session) => session.terminate()],
  ])("continues from its handle: %s", async (_name, end) => {
    await using server = await GeminiLiveServer.start(ECHO);
    const call = await openCall(server);
    await ask(call, "one");
    await expect.poll(() => call.talk.with("liveSessionResumptionUpdate").length).toBe(1);
    end(server.last);
    await expect.poll(() => server.setups.length).toBe(2);
    await ask(call, "two");
    expect(handleOf(server)).toBe("handle-1");
    expect(server.last.state.turns).toEqual([
      ...["user: Hello", "model: Hi", "user: one", "model: You said one", "user: two", "model: You said two"],
    ]);
    expect(call.talk.with("liveModelChange")).toEqual([]);
    expect(call.talk.with("interrupted")).toEqual([]);
    await call.connection.close();
  });

  it("is over after a message that is too large to read", async () => {
    await using server = await GeminiLiveServer.start(ECHO);
    const call = await openCall(server);
    await ask(call, "one");
    server.last.raw(`{"unknown":"${"x".repeat(33 * 1024 * 1024)}"}`);
    await expect.poll(() => call.talk.error, { timeout: 5000 }).toMatchObject({ reason: "MODEL_UNAVAILABLE" });
    await expect.poll(() => server.openCount).toBe(0);
  });

  it("is not opened by a provider that answers the setup with frames that are not JSON", async () => {
    await using server = await GeminiLiveServer.start({
      onSetup: (session) => {
        for (let sent = 0; sent < 200; sent += 1) session.raw("x");
        return true;
      },
    });
    await expect(openCall(server)).rejects.toMatchObject({ reason: "MODEL_UNAVAILABLE" });
    await expect.poll(() => server.openCount).toBe(0);
  });

  it("continues when the network falls silent", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await using server = await GeminiLiveServer.start(ECHO);
    const call = await openCall(server);
    server.last.fallSilent();
    await call.connection.sendContent(userContent("one"));
    vi.advanceTimersByTime(15_000);
    expect(server.setups).toHaveLength(1);
    vi.advanceTimersByTime(15_000);
    await expect.poll(() => call.talk.said).toEqual(["model: You said one"]);
    expect(server.setups).toHaveLength(2);
    await call.connection.close();
  });

  it("gives the conversation as text if there is no handle, and reports it", async () => {
    await using server = await GeminiLiveServer.start({
      on: (session, { realtimeInput }, own) => {
        const text = field(realtimeInput, "text");
        if (typeof text === "string") own.answer(session, `You said ${text}`);
      },
    });
    const call = await openCall(server);
    await ask(call, "one");
    await expect.poll(() => call.talk.with("turnComplete").length).toBe(1);
    server.last.terminate();
    await ask(call, "two");
    expect(server.last.state.turns).toEqual([
      ...["user: Hello", "model: Hi", "user: one", "model: You said one", "user: two", "model: You said two"],
    ]);
    expect(call.talk.with("liveModelChange")).toEqual([
      { from: MODEL, to: MODEL, reason: "MODEL_UNAVAILABLE", replayed: true },
    ]);
    await call.connection.close();
  });

  it("asks again what was being answered, and tells the client to stop the sound", async () => {
    await using server = await GeminiLiveServer.start({
      on: (session, { realtimeInput }, own) => {
        const text = field(realtimeInput, "text");
        if (typeof text !== "string") return;
        if (own.setups.length > 1) return own.answer(session, "The whole answer");
        own.send(session, { serverContent: { outputTranscription: { text: "The wh" } } });
        session.terminate();
      },
    });
    const call = await openCall(server);
    await call.connection.sendContent(userContent("one"));
    await expect.poll(() => call.talk.with("turnComplete")).toEqual([true]);
    expect(call.talk.with("interrupted")).toEqual([true]);
    expect(call.talk.said).toEqual(["model: The wh", "model: The whole answer"]);
    expect(server.last.state.turns.filter((turn) => turn === "user: one")).toHaveLength(1);
    await call.connection.close();
  });

  it("asks again what the user wrote while an answer was being played", async () => {
    await using server = await GeminiLiveServer.start({
      on: (session, { realtimeInput }, own) => {
        const text = field(realtimeInput, "text");
        if (text === "one") {
          own.send(session, { serverContent: { outputTranscription: { text: "First" }, generationComplete: true } });
        } else if (text === "two" && own.setups.length === 1) {
          // The model is about to answer.
          own.send(session, { serverContent: { turnComplete: true } });
          session.close(1011, "Internal error encountered.");
        } else if (text === "two") own.answer(session, "Second");
      },
    });
    const call = await openCall(server);
    await ask(call, "one");
    await ask(call, "two");
    expect(call.talk.said).toEqual(["model: First", "model: Second"]);
    expect(server.last.state.turns.filter((turn) => turn.startsWith("user: "))).toEqual([
      ...["user: Hello", "user: one", "user: two"],
    ]);
    await call.connection.close();
  });

  it("waits for the end of an answer when the provider announces the end", async () => {
    await using server = await GeminiLiveServer.start({
      on: (session, { realtimeInput }, own) => {
        const text = field(realtimeInput, "text");
        if (typeof text !== "string") return;
        if (text === "two") return own.answer(session, "Second");
        own.handle(session);
        own.send(session, { serverContent: { outputTranscription: { text: "First " } } });
        own.send(session, { goAway: { timeLeft: "50s" } });
      },
    });
    const call = await openCall(server);
    await call.connection.sendContent(userContent("one"));
    await expect.poll(() => call.talk.with("goAway")).toEqual([{ timeLeft: "50s" }]);
    expect(server.setups).toHaveLength(1);
    server.answer(server.last, "and last");
    await expect.poll(() => server.setups.length).toBe(2);
    await ask(call, "two");
    expect(call.talk.said).toEqual(["model: First and last", "model: Second"]);
    expect(call.talk.with("interrupted")).toEqual([]);
    await expect.poll(() => server.openCount).toBe(1);
    await call.connection.close();
  });

  it("answers a call of the lost session as a turn", async () => {
    await using server = await GeminiLiveServer.start({
      on: (session, message, own) => {
        const text = field(message["realtimeInput"], "text");
        if (text === "weather")
          own.send(session, { toolCall: { functionCalls: [{ id: "c1", name: "look", args: {} }] } });
        if (message["clientContent"] !== undefined && own.setups.length > 1 && session.state.turns.length > 3)
          own.answer(session, "Sunny");
      },
    });
    const call = await openCall(server);
    await call.connection.sendContent(userContent("weather"));
    await expect.poll(() => call.talk.with("content").some(({ parts }) => parts?.[0]?.functionCall)).toBe(true);
    server.last.terminate();
    await expect.poll(() => server.setups.length).toBe(2);
    await call.connection.sendContent({
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "look", response: { sky: "clear" } } }],
    });
    await expect.poll(() => call.talk.said).toEqual(["model: Sunny"]);
    expect(server.last.received.some(({ toolResponse }) => toolResponse !== undefined)).toBe(false);
    expect(server.last.state.turns.slice(2, 4)).toEqual([
      "user: weather",
      'model: {"args":{},"id":"c1","name":"look"}',
    ]);
    await call.connection.close();
  });
});

it("reports the media that a long gap has cost, and keeps what the user wrote", async () => {
  let isDown = false;
  await using server = await GeminiLiveServer.start({ ...ECHO, refuses: () => (isDown ? 503 : undefined) });
  const pause = Promise.withResolvers<void>();
  const model = new Gemini({ model: MODEL, apiKey: KEY, baseUrl: server.url, sleep: () => pause.promise });
  const connection = await model.connect(new LlmRequest({ model: MODEL }), {
    config: {},
    signal: new AbortController().signal,
  });
  const talk = new Talk(connection);
  isDown = true;
  server.last.terminate();
  const data = Buffer.alloc(75_000).toString("base64");
  await connection.sendContent(userContent("one"));
  for (let count = 0; count < 100; count += 1)
    await connection.sendRealtime({ blob: { mimeType: "audio/pcm;rate=16000", data } });
  isDown = false;
  pause.resolve();
  await expect.poll(() => talk.said).toEqual(["model: You said one"]);
  const [dropped] = talk.with("liveInputDropped");
  expect(dropped?.chunks).toBeGreaterThan(10);
  await expect.poll(() => server.last.state.frames.length).toBe(100 - (dropped?.chunks ?? 0));
  await connection.close();
});

it("uses no handle, and passes on none, that the history is missing from", async () => {
  await using server = await GeminiLiveServer.start({
    on: (session, { realtimeInput }, own) => {
      const text = field(realtimeInput, "text");
      if (typeof text === "string") own.answer(session, `You said ${text}`);
    },
    onSetup: (session, _setup, own) => {
      own.send(session, { setupComplete: {} });
      own.handle(session);
      return true;
    },
  });
  const call = await openCall(server);
  server.last.terminate();
  await call.connection.sendContent(userContent("one"));
  await expect.poll(() => call.talk.said).toEqual(["model: You said one"]);
  expect(server.setups).toHaveLength(2);
  expect(handleOf(server)).toBeUndefined();
  expect(server.last.state.turns.slice(0, 2)).toEqual(["user: Hello", "model: Hi"]);
  expect(call.talk.with("liveSessionResumptionUpdate")).toEqual([]);
  await call.connection.close();
});

describe("a handle that cures nothing", () => {
  it.each<[string, (session: GeminiSession, server: GeminiLiveServer) => void]>([
    [
      "a backend that fails",
      (session, server) => {
        server.send(session, { setupComplete: {} });
        session.close(1011, "Internal error encountered.");
      },
    ],
    ["a refusal", (session) => session.close(1008, "BidiGenerateContent session expired")],
    ["a state that cannot be loaded", (session) => session.close(1007, "Request contains an invalid argument.")],
  ])("is dropped, and the conversation is given as text: %s", async (_name, fail) => {
    await using server = await GeminiLiveServer.start({
      ...ECHO,
      onSetup: (session, setup, own) => {
        if (field(setup["sessionResumption"], "handle") === undefined) return false;
        fail(session, own);
        return true;
      },
    });
    const call = await openCall(server);
    // Sound and video, after which handles are known to break.
    await call.connection.sendRealtime(frame(0));
    await call.connection.sendRealtime({ blob: { mimeType: "image/jpeg", data: "AAAA" } });
    await ask(call, "one");
    await expect.poll(() => call.talk.with("liveSessionResumptionUpdate").length).toBe(1);
    server.last.close(1011, "Internal error encountered.");
    await ask(call, "two");
    expect(handleOf(server)).toBeUndefined();
    expect(server.last.state.turns).toEqual([
      ...["user: Hello", "model: Hi", "user: one", "model: You said one", "user: two", "model: You said two"],
    ]);
    expect(call.talk.with("liveModelChange")).toHaveLength(1);
    await call.connection.close();
  });
});

describe("an end that another session would not cure", () => {
  it.each<[number, string, string]>([
    [1008, "Policy violation", "MODEL_BAD_REQUEST"],
    [1007, "Invalid audio format", "MODEL_BAD_REQUEST"],
    [1007, `API key not valid: ${KEY}`, "MODEL_AUTH_ERROR"],
    [1008, "models/other is not found for API version v1beta", "MODEL_BAD_REQUEST"],
  ])("ends the connection: %i %s", async (code, reason, expected) => {
    await using server = await GeminiLiveServer.start(ECHO);
    const { talk } = await openCall(server);
    server.last.close(code, reason);
    await talk.over;
    expect(talk.error).toMatchObject({ reason: expected });
    expect(JSON.stringify(talk.error)).not.toContain(KEY);
    expect(server.setups).toHaveLength(1);
  });

  it.each([
    [401, "MODEL_AUTH_ERROR", 1],
    [400, "MODEL_BAD_REQUEST", 1],
    [503, "MODEL_UNAVAILABLE", 5],
    [429, "MODEL_RATE_LIMITED", 5],
  ])("refuses to connect after an upgrade with %i", async (status, reason, attempts) => {
    let count = 0;
    await using server = await GeminiLiveServer.start({
      refuses: () => {
        count += 1;
        return status;
      },
    });
    await expect(openCall(server)).rejects.toMatchObject({ reason });
    expect(count).toBe(attempts);
  });

  it("refuses sound of another format before the provider does", async () => {
    await using server = await GeminiLiveServer.start(ECHO);
    const { connection } = await openCall(server);
    await expect(connection.sendRealtime({ blob: { mimeType: "audio/webm", data: "AAAA" } })).rejects.toMatchObject({
      reason: "INVALID_FIELD",
      details: { field: "blob.mimeType" },
    });
    await connection.close();
  });
});
