import { afterEach, describe, expect, it, vi } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { frame } from "#test/helpers/live/frames.ts";
import {
  RealtimeServer,
  type RealtimeServerOptions,
  type RealtimeSession,
} from "#test/helpers/live/realtime-server.ts";
import { Talk } from "#test/helpers/live/talk.ts";

const MODEL = "gpt-realtime-2.1";
const KEY = "key-that-must-stay-secret";
const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function newRequest(): LlmRequest {
  const contents = [userContent("Hello"), { role: "model", parts: [{ text: "Hi" }] }];
  const request = new LlmRequest({ model: MODEL, contents, config: { maxOutputTokens: 500 } });
  request.appendInstructions("Be brief.");
  request.appendTools({ name: "look", getDeclaration: () => ({ name: "look", description: "Looks." }) });
  return request;
}

async function openCall(server: RealtimeServer, config: LiveConnectConfig = { inputAudioTranscription: {} }) {
  const model = new OpenAiCompatible({ model: MODEL, apiKey: KEY, baseUrl: server.url, sleep: async () => {} });
  const request = newRequest();
  const connection = await model.connect?.(request, { config, signal: new AbortController().signal });
  if (connection === undefined) throw new Error("The model has no live connection.");
  await connection.sendHistory(request.contents);
  return { connection, talk: new Talk(connection) };
}

function sent(session: RealtimeSession): readonly unknown[] {
  return session.received.slice(1).filter(({ type }) => type !== "input_audio_buffer.append");
}

/** Answers each request for an answer with the newest text. */
const ECHO: RealtimeServerOptions = {
  on: (session, event, server) => {
    if (event["type"] === "response.create") server.answer(session, `You said ${server.known.at(-1)}`);
  },
};

describe("a session of the Realtime API", () => {
  it("gets the settings that it has", async () => {
    await using server = await RealtimeServer.start();
    const { connection } = await openCall(server, {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Marin" } } },
      inputAudioTranscription: { languageCodes: ["de-DE"] },
      realtimeInputConfig: {
        automaticActivityDetection: { silenceDurationMs: 300 },
        activityHandling: "NO_INTERRUPTION",
      },
    });
    const format = { type: "audio/pcm", rate: 24000 };
    expect(server.settings).toEqual([
      {
        type: "realtime",
        instructions: "Be brief.",
        output_modalities: ["audio"],
        max_output_tokens: 500,
        audio: {
          input: {
            format,
            transcription: { model: "gpt-live-transcribe", language: "de" },
            turn_detection: { type: "server_vad", silence_duration_ms: 300, interrupt_response: false },
          },
          output: { format, voice: "marin" },
        },
        tools: [
          { type: "function", name: "look", description: "Looks.", parameters: { type: "object", properties: {} } },
        ],
      },
    ]);
    expect(server.last.request.url).toBe(`/v1/realtime?model=${MODEL}`);
    expect(server.last.request.headers.authorization).toBe(`Bearer ${KEY}`);
    await expect.poll(() => server.known).toEqual(["user: Hello", "assistant: Hi"]);
    await connection.close();
  });

  it("converts sound to the rate of the session", async () => {
    await using server = await RealtimeServer.start();
    const { connection } = await openCall(server);
    await connection.sendRealtime(frame(7));
    await server.receipt(7);
    const audio = server.last.received.findLast(({ type }) => type === "input_audio_buffer.append")?.["audio"];
    const bytes = Buffer.from(String(audio), "base64");
    // 20 ms, but for what the next chunk completes.
    expect(bytes.length).toBeGreaterThan(950);
    expect(bytes.length).toBeLessThanOrEqual(960);
    await connection.close();
  });

  it("sends a picture as an item of the user", async () => {
    await using server = await RealtimeServer.start();
    const { connection } = await openCall(server);
    await connection.sendRealtime({ blob: { mimeType: "image/png", data: "aGk=" } });
    const content = [{ type: "input_image", image_url: "data:image/png;base64,aGk=" }];
    await expect
      .poll(() => sent(server.last).at(-1))
      .toEqual({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
    await connection.close();
  });

  it("is not interrupted by a user who may not", async () => {
    await using server = await RealtimeServer.start();
    const { connection, talk } = await openCall(server, {
      ...{ inputAudioTranscription: {}, realtimeInputConfig: { activityHandling: "NO_INTERRUPTION" } },
    });
    server.answer(server.last, "A long story");
    await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
    server.hear(server.last, "Stop");
    await expect.poll(() => talk.said.at(-1)).toBe("user: Stop");
    expect(talk.with("interrupted")).toEqual([]);
    expect(sent(server.last).map((event) => (event as { type: string }).type)).not.toContain(
      "conversation.item.truncate",
    );
    await connection.close();
  });

  it("returns an answer in pieces and as a whole, and the user's words", async () => {
    await using server = await RealtimeServer.start();
    const { connection, talk } = await openCall(server);
    server.hear(server.last, "How are you?");
    server.answer(server.last, "Fine, thanks.");
    await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
    expect(talk.responses.filter(({ content }) => content === undefined)).toEqual([
      { inputTranscription: { text: "Ho", finished: false }, partial: true },
      { inputTranscription: { text: "How are you?", finished: true } },
      { outputTranscription: { text: "Fine, ", finished: false }, partial: true },
      { outputTranscription: { text: "thanks.", finished: false }, partial: true },
      { outputTranscription: { text: "Fine, thanks.", finished: true } },
      {
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7, cachedContentTokenCount: 1 },
      },
      { turnComplete: true },
    ]);
    const [sound] = talk.with("content");
    expect(sound?.parts?.[0]?.inlineData?.mimeType).toBe("audio/pcm;rate=24000");
    await connection.close();
  });

  it("is told how much of an answer was heard when the user interrupts it", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    await using server = await RealtimeServer.start();
    const { connection, talk } = await openCall(server);
    server.answer(server.last, "A long story");
    await expect.poll(() => talk.with("turnComplete")).toEqual([true]);
    now += 400;
    server.hear(server.last, "Stop");
    await expect.poll(() => talk.with("interrupted")).toEqual([true]);
    await expect
      .poll(() => sent(server.last).at(-1))
      .toEqual({
        type: "conversation.item.truncate",
        item_id: expect.stringMatching(/^item_/),
        content_index: 0,
        audio_end_ms: 400,
      });
    // The second has been played: nothing is interrupted.
    server.answer(server.last, "Short");
    await expect.poll(() => talk.said.at(-1)).toBe("model: Short");
    now += 1100;
    server.hear(server.last, "Well");
    await expect.poll(() => talk.said.at(-1)).toBe("user: Well");
    expect(talk.with("interrupted")).toEqual([true]);
    await connection.close();
  });

  it("stops an answer for a text of the user, and answers afterwards", async () => {
    await using server = await RealtimeServer.start({
      on: (session, event, own) => {
        if (event["type"] === "response.cancel")
          own.send(session, "response.done", { response: { status: "cancelled" } });
        if (event["type"] === "response.create") own.answer(session, "Second");
      },
    });
    const { connection, talk } = await openCall(server);
    server.answer(server.last, "First", { ends: false });
    await expect.poll(() => talk.with("outputTranscription").length).toBe(1);
    await connection.sendContent(userContent("Other"));
    await expect.poll(() => talk.said).toEqual(["model: First", "model: Second"]);
    expect(talk.with("interrupted")).toEqual([true]);
    await connection.close();
  });

  it("calls tools and takes their results", async () => {
    await using server = await RealtimeServer.start({
      on: (session, event, own) => {
        if (event["type"] !== "response.create") return;
        if (own.known.at(-1)?.startsWith("result")) return own.answer(session, "Sunny");
        const call = { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":"sky"}' };
        session.state.items.push(call);
        own.send(session, "response.created", { response: {} });
        own.send(session, "response.done", { response: { status: "completed", output: [call, { type: "future" }] } });
      },
    });
    const { connection, talk } = await openCall(server);
    await connection.sendContent(userContent("Weather?"));
    await expect
      .poll(() => talk.with("content"))
      .toEqual([{ role: "model", parts: [{ functionCall: { id: "c1", name: "look", args: { at: "sky" } } }] }]);
    expect(talk.with("turnComplete")).toEqual([]);
    await connection.sendContent({
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "look", response: { sky: "clear" } } }],
    });
    await expect.poll(() => talk.said).toEqual(["model: Sunny"]);
    // A new session gets the call and its result as they were.
    server.last.terminate();
    await expect.poll(() => server.sessions.length).toBe(2);
    await expect
      .poll(() => server.known)
      .toEqual([
        ...["user: Hello", "assistant: Hi", "user: Weather?", 'call: look {"at":"sky"}', 'result: {"sky":"clear"}'],
        "assistant: Sunny",
      ]);
    await connection.close();
  });

  it("passes on the user's activity if it does not detect it", async () => {
    await using server = await RealtimeServer.start();
    const realtimeInputConfig = { automaticActivityDetection: { disabled: true } };
    const { connection } = await openCall(server, { realtimeInputConfig });
    expect(server.settings[0]?.["audio"]).toMatchObject({ input: { turn_detection: null } });
    await connection.sendRealtime({ activityStart: true });
    await connection.sendRealtime(frame(1));
    await connection.sendRealtime({ activityEnd: true });
    await connection.sendRealtime({ audioStreamEnd: true });
    await expect
      .poll(() => sent(server.last).slice(2))
      .toEqual([{ type: "input_audio_buffer.commit" }, { type: "response.create" }]);
    await connection.close();
  });
});

describe("the limit of an hour", () => {
  it("is avoided by the next session, at the end of a turn", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using server = await RealtimeServer.start(ECHO);
    const { connection, talk } = await openCall(server);
    const item = server.hear(server.last, "Tell me", { transcribes: false });
    server.answer(server.last, "Once", { ends: false });
    await expect.poll(() => talk.with("outputTranscription").length).toBe(1);
    vi.advanceTimersByTime(55 * MINUTE_MS);
    expect(server.sessions).toHaveLength(1);
    server.end(server.last, "Once");
    // The words of the user arrive after the answer, and stand before it.
    server.transcribe(server.last, item, "Tell me");
    await expect.poll(() => server.sessions.length).toBe(2);
    await expect
      .poll(() => talk.with("liveModelChange"))
      .toEqual([{ from: MODEL, to: MODEL, reason: "SESSION_LIMIT", replayed: true }]);
    await expect.poll(() => server.known).toEqual(["user: Hello", "assistant: Hi", "user: Tell me", "assistant: Once"]);
    await expect.poll(() => server.openCount).toBe(1);
    await connection.sendContent(userContent("And then?"));
    await expect.poll(() => talk.said.at(-1)).toBe("model: You said user: And then?");
    expect(talk.with("interrupted")).toEqual([]);
    await connection.close();
  });

  it("cuts an answer that does not end before it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using server = await RealtimeServer.start();
    const { connection, talk } = await openCall(server);
    server.answer(server.last, "An endless", { ends: false });
    await expect.poll(() => talk.with("outputTranscription").length).toBe(2);
    vi.advanceTimersByTime(55 * MINUTE_MS);
    vi.advanceTimersByTime(5 * MINUTE_MS);
    await expect.poll(() => talk.with("liveModelChange").length).toBe(1);
    expect(talk.with("interrupted")).toEqual([true]);
    expect(talk.said).toEqual(["model: An endless"]);
    await connection.close();
  });
});

describe("a failure", () => {
  it.each<[string, (session: RealtimeSession, server: RealtimeServer) => void]>([
    ["a broken socket", (session) => session.terminate()],
    [
      "a fault of the server",
      (session, server) =>
        server.send(session, "error", { error: { type: "server_error", message: "The server had an error" } }),
    ],
    [
      "frames that are not JSON",
      (session) => {
        for (let count = 0; count < 101; count += 1) session.raw("not json");
      },
    ],
  ])("is cured by another session: %s", async (_name, fail) => {
    await using server = await RealtimeServer.start(ECHO);
    const { connection, talk } = await openCall(server);
    await connection.sendContent(userContent("one"));
    await expect.poll(() => talk.with("turnComplete").length).toBe(1);
    fail(server.last, server);
    await expect.poll(() => server.sessions.length).toBe(2);
    await connection.sendContent(userContent("two"));
    await expect.poll(() => talk.said.at(-1)).toBe("model: You said user: two");
    expect(server.known.slice(0, 5)).toEqual([
      ...["user: Hello", "assistant: Hi", "user: one", "assistant: You said user: one", "user: two"],
    ]);
    await connection.close();
  });

  it("is noticed when the network falls silent", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await using server = await RealtimeServer.start(ECHO);
    const { connection, talk } = await openCall(server);
    server.last.fallSilent();
    await connection.sendContent(userContent("one"));
    vi.advanceTimersByTime(30_000);
    await expect.poll(() => talk.said).toEqual(["model: You said user: one"]);
    expect(server.sessions).toHaveLength(2);
    await connection.close();
  });

  it.each([
    [1008, "Policy violation", "MODEL_BAD_REQUEST"],
    [1007, "Invalid frame", "MODEL_BAD_REQUEST"],
    [1008, `Invalid API key ${KEY}`, "MODEL_AUTH_ERROR"],
  ])("that another session would not cure ends the connection: %i %s", async (code, reason, expected) => {
    await using server = await RealtimeServer.start();
    const { talk } = await openCall(server);
    server.last.close(code, reason);
    await talk.over;
    expect(talk.error).toMatchObject({ reason: expected });
    expect(JSON.stringify(talk.error)).not.toContain(KEY);
    expect(server.sessions).toHaveLength(1);
  });

  it.each([
    [401, "MODEL_AUTH_ERROR"],
    [404, "MODEL_BAD_REQUEST"],
    [503, "MODEL_UNAVAILABLE"],
  ])("of the upgrade is reported: %i", async (status, reason) => {
    await using server = await RealtimeServer.start({ refuses: () => status });
    await expect(openCall(server)).rejects.toMatchObject({ reason });
  });

  it("of the settings is reported", async () => {
    const refusesSettings = { type: "invalid_request_error", code: "invalid_value", message: "Bad voice" };
    await using server = await RealtimeServer.start({ refusesSettings });
    await expect(openCall(server)).rejects.toMatchObject({ reason: "MODEL_BAD_REQUEST" });
    await expect.poll(() => server.openCount).toBe(0);
  });

  it("of one event ends nothing", async () => {
    await using server = await RealtimeServer.start(ECHO);
    const { connection, talk } = await openCall(server);
    const error = { type: "invalid_request_error", code: "input_audio_buffer_commit_empty", message: "empty" };
    server.send(server.last, "error", { error });
    server.last.raw("[]");
    server.last.raw("not json");
    await connection.sendContent(userContent("one"));
    await expect.poll(() => talk.with("turnComplete").length).toBe(1);
    expect(server.sessions).toHaveLength(1);
    await connection.close();
  });
});

it("has no live connection for models of the chat API", () => {
  expect(new OpenAiCompatible({ model: "gpt-6.1-sol", apiKey: KEY }).connect).toBeUndefined();
});
