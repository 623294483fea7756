import { describe, expect, it } from "vitest";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { LiveFallback } from "#kit/models/live/live-fallback.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { frame, upTo } from "#test/helpers/live/frames.ts";
import { field, GeminiLiveServer } from "#test/helpers/live/gemini-live-server.ts";
import { RealtimeServer } from "#test/helpers/live/realtime-server.ts";
import { Talk } from "#test/helpers/live/talk.ts";

const GEMINI = "gemini-3.8-live";
const REALTIME = "gpt-realtime-2.1";
const sleep = async (): Promise<void> => {};

function optionsOf() {
  return { config: { inputAudioTranscription: {} }, signal: new AbortController().signal };
}

describe("a list of live models", () => {
  it("continues the call with another provider when the first one is down", async () => {
    let isDown = false;
    await using gemini = await GeminiLiveServer.start({
      refuses: () => (isDown ? 503 : undefined),
      on: (session, { realtimeInput }, own) => {
        const text = field(realtimeInput, "text");
        if (typeof text === "string") own.answer(session, `Gemini heard ${text}`);
      },
    });
    await using realtime = await RealtimeServer.start({
      on: (session, event, own) => {
        if (event["type"] === "response.create") own.answer(session, `OpenAI heard ${own.known.at(-1)}`);
      },
    });
    const first = new Gemini({ model: GEMINI, apiKey: "test-key", baseUrl: gemini.url, sleep });
    const second = new OpenAiCompatible({ model: REALTIME, apiKey: "test-key", baseUrl: realtime.url, sleep });
    const model = new LiveFallback([first, second], { sleep });
    const request = new LlmRequest({ model: model.model, contents: [userContent("Hello"), modelContent("Hi")] });
    const connection = await model.connect(request, optionsOf());
    await connection.sendHistory(request.contents);
    const talk = new Talk(connection);
    await connection.sendContent(userContent("one"));
    await expect.poll(() => talk.with("turnComplete").length).toBe(1);
    isDown = true;
    gemini.last.terminate();
    for (const number of upTo(100)) await connection.sendRealtime(frame(number));
    await connection.sendContent(userContent("two"));
    await expect.poll(() => talk.said).toEqual(["model: Gemini heard one", "model: OpenAI heard user: two"]);
    expect(realtime.known.slice(0, 5)).toEqual([
      ...["user: Hello", "assistant: Hi", "user: one", "assistant: Gemini heard one", "user: two"],
    ]);
    expect(realtime.frames).toEqual(upTo(100));
    expect(talk.with("liveModelChange")).toEqual([
      { from: GEMINI, to: REALTIME, reason: "MODEL_UNAVAILABLE", replayed: true },
    ]);
    await connection.close();
    await expect.poll(() => realtime.openCount).toBe(0);
  });

  it("gives calls of tools as text, also those whose result comes after the change", async () => {
    const call = { content: { role: "model", parts: [{ functionCall: { id: "c1", name: "look", args: {} } }] } };
    const first = new ScriptedModel([], { model: "first", live: [[call], [new Error("down")]] });
    const second = new ScriptedModel([], {
      model: "second",
      live: [[{ content: modelContent("Sunny"), turnComplete: true }]],
    });
    const connection = await new LiveFallback([first, second], { sleep }).connect(
      new LlmRequest({ model: "first" }),
      optionsOf(),
    );
    const talk = new Talk(connection);
    await connection.sendContent(userContent("Weather?"));
    await expect.poll(() => talk.with("content").length).toBe(1);
    await connection.sendContent({
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "look", response: { sky: "clear" } } }],
    });
    await expect.poll(() => talk.said).toEqual(["model: Sunny"]);
    expect(second.connections[0]?.sent).toEqual([
      { kind: "history", history: [userContent("Weather?"), modelContent("[Called look: {}]")] },
      { kind: "content", content: userContent('[look returned: {"sky":"clear"}]') },
    ]);
    await connection.close();
  });

  it("begins with the next model if the first one cannot be reached or has no live connection", async () => {
    await using gemini = await GeminiLiveServer.start({ refuses: () => 401 });
    const last = new ScriptedModel([], {
      model: "last",
      live: [[{ content: modelContent("Hi"), turnComplete: true }]],
    });
    const models = [
      new Gemini({ model: GEMINI, apiKey: "test-key", baseUrl: gemini.url }),
      new ScriptedModel([]),
      last,
    ];
    const connection = await new LiveFallback(models, { sleep }).connect(
      new LlmRequest({ model: GEMINI }),
      optionsOf(),
    );
    const talk = new Talk(connection);
    await connection.sendContent(userContent("Hello"));
    await expect.poll(() => talk.said).toEqual(["model: Hi"]);
    expect(last.connections[0]?.request.model).toBe("last");
    await connection.close();
  });

  it("fails with the last model's error when all are down", async () => {
    await using gemini = await GeminiLiveServer.start({ refuses: () => 401 });
    const model = new Gemini({ model: GEMINI, apiKey: "test-key", baseUrl: gemini.url });
    const list = new LiveFallback([new ScriptedModel([]), model], { sleep });
    await expect(list.connect(new LlmRequest({ model: "scripted" }), optionsOf())).rejects.toMatchObject({
      reason: "MODEL_AUTH_ERROR",
    });
  });

  it("continues with the model that issued a handle", async () => {
    await using gemini = await GeminiLiveServer.start();
    const list = () =>
      new LiveFallback(
        [new ScriptedModel([], { live: [] }), new Gemini({ model: GEMINI, apiKey: "test-key", baseUrl: gemini.url })],
        { sleep },
      );
    const direct = await new Gemini({ model: GEMINI, apiKey: "test-key", baseUrl: gemini.url }).connect(
      new LlmRequest({ model: GEMINI }),
      optionsOf(),
    );
    const handle = gemini.handle(gemini.last);
    const request = new LlmRequest({ model: "scripted" });
    const known = await list().connect(request, { ...optionsOf(), resumption: { handle, model: GEMINI } });
    expect(known.resumed).toBe(true);
    const expired = await list().connect(request, { ...optionsOf(), resumption: { handle: "expired", model: GEMINI } });
    expect(expired.resumed).toBe(false);
    const foreign = await list().connect(request, { ...optionsOf(), resumption: { handle, model: "unknown" } });
    expect(foreign.resumed).toBe(false);
    for (const connection of [direct, known, expired, foreign]) await connection.close();
  });

  it("gives the handle of one model to no other", async () => {
    const live = [[{ content: modelContent("Hi"), turnComplete: true }]];
    const second = new ScriptedModel([], { model: "second", live });
    const resumptions: unknown[] = [];
    const models: BaseLlm[] = ["first", "second"].map((model) => ({
      model,
      generateContentAsync: (request, options) => second.generateContentAsync(request, options),
      connect: async (request, options) => {
        resumptions.push([model, options.resumption?.handle]);
        if (model === "first") throw new Error("down");
        return (await second.connect?.(request, options)) ?? expect.unreachable();
      },
    }));
    const resumption = { handle: "of the first", model: "first" };
    const list = new LiveFallback(models, { sleep });
    const connection = await list.connect(new LlmRequest({ model: "first" }), { ...optionsOf(), resumption });
    expect([resumptions, connection.resumed]).toEqual([
      [
        ["first", "of the first"],
        ["second", undefined],
      ],
      false,
    ]);
    await connection.close();
  });

  it("refuses an empty list", () => {
    expect(() => new LiveFallback([])).toThrow(expect.objectContaining({ details: { field: "models" } }));
  });
});
