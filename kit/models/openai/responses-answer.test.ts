import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { fromResponses, fromResponsesStream } from "./responses-answer.ts";

const USAGE = {
  ...{ input_tokens: 10, output_tokens: 20, total_tokens: 30 },
  ...{ input_tokens_details: { cached_tokens: 4 }, output_tokens_details: { reasoning_tokens: 5 } },
};
const text = (value: string) => ({ type: "message", content: [{ type: "output_text", text: value }] });
const refusal = { type: "message", content: [{ type: "refusal", refusal: "No." }] };

/** The last chunk of a whole answer, and of a stream with the same end. */
async function endsOf(response: object, deltas: readonly object[] = []): Promise<readonly (StreamChunk | undefined)[]> {
  const whole = { status: "completed", output: [], model: "m", ...response } as unknown as Response;
  async function* events() {
    // The members that the SDK's types have beside these are not read.
    for (const delta of deltas) yield delta as ResponseStreamEvent;
    yield { type: `response.${whole.status}`, response: whole } as ResponseStreamEvent;
  }
  const streamed = await Array.fromAsync(fromResponsesStream(events()));
  return [(await Array.fromAsync(fromResponses(whole))).at(-1), streamed.at(-1)];
}

describe("the end of an answer, whole and streamed", () => {
  it.each([
    [{ output: [text("Hi")] }, [], "STOP"],
    [{ output: [refusal] }, [{ type: "response.refusal.delta", delta: "No." }], "SAFETY"],
    [{ output: [text("a"), refusal] }, [{ type: "response.refusal.delta", delta: "No." }], "SAFETY"],
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, [], "MAX_TOKENS"],
    [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, [], "SAFETY"],
    [{ status: "incomplete", incomplete_details: null }, [], "OTHER"],
  ])("%j", async (response, deltas, finishReason) => {
    const end = { finishReason, modelVersion: "m", usageMetadata: undefined };
    expect(await endsOf(response, deltas)).toEqual([end, end]);
  });

  it("has what was used", async () => {
    const usageMetadata = {
      ...{ promptTokenCount: 10, candidatesTokenCount: 15, thoughtsTokenCount: 5 },
      ...{ cachedContentTokenCount: 4, totalTokenCount: 30 },
    };
    const end = expect.objectContaining({ usageMetadata });
    expect(await endsOf({ usage: USAGE })).toEqual([end, end]);
  });

  it.each([
    [{ type: "error", code: "server_error", message: "Broken." }, "Broken."],
    [
      { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "Gone." } } },
      "Gone.",
    ],
    [{ type: "response.output_text.delta", delta: "a" }, "ended before it was complete"],
  ])("is a failure after %j", async (event, message) => {
    async function* events() {
      yield event as unknown as ResponseStreamEvent;
    }
    await expect(Array.fromAsync(fromResponsesStream(events()))).rejects.toThrow(message);
  });
});

it("has the parts of an answer whole: thoughts with their mark, texts and calls", async () => {
  const output = [
    { type: "reasoning", id: "r1", encrypted_content: "e", summary: [{ text: "hm" }] },
    { type: "reasoning", id: "r2", summary: [] },
    { type: "function_call", call_id: "c", name: "look", arguments: '{"a":1}' },
    { type: "web_search_call" },
    text("Hi"),
  ];
  const response = { status: "completed", output, model: "m" } as unknown as Response;
  const chunks = await Array.fromAsync(fromResponses(response));
  const mark = (reasoning: object) => ({ text: "", thought: true, partMetadata: { openAi: { reasoning } } });
  expect(chunks.flatMap(({ content }) => content?.parts ?? [])).toEqual([
    ...[{ text: "hm", thought: true }, mark({ id: "r1", encrypted: "e" }), mark({ id: "r2" })],
    ...[{ functionCall: { id: "c", name: "look", args: { a: 1 } } }, { text: "Hi" }],
  ]);
  expect(chunks.filter(({ endOfPart }) => endOfPart === true).length).toBe(output.length);
});
