import { describe, expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { answerJson, fixture, startWireServer, type WireAnswer } from "#test/helpers/servers/wire-server.ts";
import { collect } from "./model-suite.ts";

const gemini = (baseUrl: string): BaseLlm => new Gemini({ model: "gemini-3-flash-preview", apiKey: "k", baseUrl });

const candidate = (content: object, finishReason = "STOP"): WireAnswer =>
  answerJson(JSON.stringify({ candidates: [{ content, finishReason }], usageMetadata: { totalTokenCount: 9 } }));

const EMPTY = candidate({ role: "model" });
const TEXT = answerJson(fixture("gemini/text.json"));

const NO_CONTENT = {
  finishReason: "STOP",
  usageMetadata: { totalTokenCount: 9 },
  errorCode: "MODEL_RETURNED_NO_CONTENT",
  errorMessage: "Gemini ended its answer without text and without a call.",
};

async function answersOf(...answers: readonly [WireAnswer, ...WireAnswer[]]): Promise<[readonly unknown[], number]> {
  await using server = await startWireServer(...answers);
  return [await collect(gemini(server.url), undefined, { stream: false }), server.requests.length];
}

describe("an empty answer", () => {
  it("is asked for once more (empty STOP after tools)", async () => {
    const [responses, count] = await answersOf(EMPTY, TEXT);
    expect(responses).toMatchObject([{ content: modelContent("Paris is sunny."), finishReason: "STOP" }]);
    expect(count).toBe(2);
  });

  it.each([
    ["nothing", { role: "model" }, {}],
    ["blank text", { role: "model", parts: [{ text: " \n" }] }, { content: modelContent(" \n") }],
  ])("that stays empty carries a named error: %s", async (_, content, extra) => {
    expect(await answersOf(candidate(content))).toEqual([[{ ...NO_CONTENT, ...extra }], 2]);
  });

  it("that holds thoughts alone counts as empty, and keeps them", async () => {
    const parts = [{ text: "hm", thought: true }];
    const [responses, count] = await answersOf(candidate({ role: "model", parts }));
    const marked = parts.map((part) => ({ ...part, partMetadata: { thoughtOf: "gemini" } }));
    expect([responses, count]).toEqual([[{ ...NO_CONTENT, content: { role: "model", parts: marked } }], 2]);
  });

  it("is asked for once more when the model stumbled over its own call", async () => {
    const [responses, count] = await answersOf(candidate({ role: "model" }, "MALFORMED_FUNCTION_CALL"), TEXT);
    expect(responses).toMatchObject([{ content: modelContent("Paris is sunny.") }]);
    expect(count).toBe(2);
  });

  it("is not asked for again when chunks were shown, for they would be shown twice", async () => {
    const thought = { candidates: [{ content: { role: "model", parts: [{ text: "hm", thought: true }] } }] };
    const end = { candidates: [{ content: { role: "model" }, finishReason: "STOP" }] };
    await using server = await startWireServer((response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end([thought, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")),
    );
    const responses = await collect(gemini(server.url));
    expect(responses.map(({ partial, errorCode }) => [partial, errorCode])).toEqual([
      [true, undefined],
      [undefined, "MODEL_RETURNED_NO_CONTENT"],
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it("of a refused prompt is not an empty answer", async () => {
    const [responses, count] = await answersOf(answerJson(fixture("gemini/blocked.json")));
    expect([responses.length, count]).toEqual([1, 1]);
    expect(responses).not.toMatchObject([{ errorCode: "MODEL_RETURNED_NO_CONTENT" }]);
  });

  it.each<[string, object]>([
    ["a choice without a message", { choices: [{ index: 0, finish_reason: "stop" }] }],
    [
      "a message of null",
      { choices: [{ index: 0, message: { role: "assistant", content: null }, finish_reason: "stop" }] },
    ],
  ])("of an OpenAI-compatible server carries the same error: %s (no message)", async (_, extra) => {
    const body = JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", ...extra });
    await using server = await startWireServer(answerJson(body));
    const model = new OpenAiCompatible({ model: "m", apiKey: "k", baseUrl: server.url });
    const responses = await collect(model, undefined, { stream: false });
    expect(responses).toMatchObject([{ errorCode: "MODEL_RETURNED_NO_CONTENT" }]);
  });

  it("of an OpenAI-compatible server without choices is a named failure", async () => {
    await using server = await startWireServer(answerJson(JSON.stringify({ id: "x", model: "m", choices: [] })));
    const model = new OpenAiCompatible({ model: "m", apiKey: "k", baseUrl: server.url });
    await expect(collect(model, undefined, { stream: false })).rejects.toMatchObject({ reason: "MODEL_UNAVAILABLE" });
  });

  it("of Claude carries the same error", async () => {
    const events = [
      {
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          content: [],
          model: "c",
          usage: { input_tokens: 3, output_tokens: 0 },
        },
      },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    await using server = await startWireServer((response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(stream),
    );
    const model = new Claude({ model: "claude-haiku-4-5", apiKey: "k", baseUrl: server.url });
    expect(await collect(model)).toMatchObject([{ errorCode: "MODEL_RETURNED_NO_CONTENT" }]);
    expect(server.requests).toHaveLength(2);
  });
});
