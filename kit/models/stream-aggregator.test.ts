import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import type { Part } from "../events/content.ts";
import type { LlmResponse } from "./llm-response.ts";
import { StreamAggregator, type StreamChunk } from "./stream-aggregator.ts";

const chunk = (...parts: readonly Part[]): StreamChunk => ({ content: { role: "model", parts } });

function aggregate(...chunks: readonly StreamChunk[]): {
  shown: readonly (LlmResponse | undefined)[];
  complete: LlmResponse;
} {
  const aggregator = new StreamAggregator();
  const shown = chunks.map((each) => aggregator.add(each));
  return { shown, complete: aggregator.finish() };
}

const partsOf = (...chunks: readonly StreamChunk[]): readonly Part[] | undefined =>
  aggregate(...chunks).complete.content?.parts;

describe("StreamAggregator", () => {
  it("returns each chunk as partial and one response with everything", () => {
    const usageMetadata = { totalTokenCount: 3 };
    expect(
      aggregate(chunk({ text: "Hel" }), { ...chunk({ text: "lo" }), usageMetadata, finishReason: "STOP" }),
    ).toEqual({
      shown: [
        { content: { role: "model", parts: [{ text: "Hel" }] }, partial: true },
        { content: { role: "model", parts: [{ text: "lo" }] }, partial: true, usageMetadata, finishReason: "STOP" },
      ],
      complete: { content: { role: "model", parts: [{ text: "Hello" }] }, usageMetadata, finishReason: "STOP" },
    });
  });

  it("merges neighbouring text of one kind and keeps the order of everything else", () => {
    const call = { functionCall: { id: "c1", name: "f", args: {} } };
    const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    expect(
      partsOf(
        chunk({ text: "think", thought: true }),
        chunk({ text: "ing", thought: true }, { text: "a" }),
        chunk({ text: "b" }, call, image),
        chunk({ text: "c" }),
      ),
    ).toEqual([{ text: "thinking", thought: true }, { text: "ab" }, call, image, { text: "c" }]);
  });

  it("keeps the first signature of a run of text", () => {
    expect(partsOf(chunk({ text: "a" }), chunk({ text: "b", thoughtSignature: "s1" }), chunk({ text: "c" }))).toEqual([
      { text: "abc", thoughtSignature: "s1" },
    ]);
  });

  it("begins a new part at another signature, so that none is lost", () => {
    expect(partsOf(chunk({ text: "a", thoughtSignature: "s1" }), chunk({ text: "b", thoughtSignature: "s2" }))).toEqual(
      [
        { text: "a", thoughtSignature: "s1" },
        { text: "b", thoughtSignature: "s2" },
      ],
    );
  });

  it("keeps a signature without text, and returns no partial response for it", () => {
    expect(aggregate(chunk({ text: "", thoughtSignature: "s1" }))).toEqual({
      shown: [undefined],
      complete: { content: { role: "model", parts: [{ text: "", thoughtSignature: "s1" }] } },
    });
  });

  it("separates text where an adapter marks the end of a part", () => {
    expect(
      partsOf({ ...chunk({ text: "a", thought: true }), endOfPart: true }, chunk({ text: "b", thought: true })),
    ).toEqual([
      { text: "a", thought: true },
      { text: "b", thought: true },
    ]);
  });

  it("drops empty parts and chunks without parts", () => {
    expect(aggregate(chunk({ text: "" }), { usageMetadata: { totalTokenCount: 1 } }, chunk({}))).toEqual({
      shown: [undefined, undefined, undefined],
      complete: { usageMetadata: { totalTokenCount: 1 } },
    });
  });

  it("keeps the last usage and grounding, which an empty one does not erase", () => {
    const groundingMetadata = { webSearchQueries: ["paris"] };
    expect(
      aggregate(
        { usageMetadata: { totalTokenCount: 1 } },
        { usageMetadata: { totalTokenCount: 2 }, groundingMetadata },
        { usageMetadata: {}, groundingMetadata: {} },
      ).complete,
    ).toEqual({ usageMetadata: { totalTokenCount: 2 }, groundingMetadata });
  });

  it("reports an end other than STOP as error code of the complete response only", () => {
    verifies(
      "errors:model:response",
      "model:response:error-code",
      "model:response:error-message",
      "model:response:finish-reason",
    );
    const chunks = [{ ...chunk({ text: "Once" }), finishReason: "MAX_TOKENS", errorMessage: "too long" }];
    expect(aggregate(...chunks)).toEqual({
      shown: [{ content: { role: "model", parts: [{ text: "Once" }] }, finishReason: "MAX_TOKENS", partial: true }],
      complete: {
        content: { role: "model", parts: [{ text: "Once" }] },
        finishReason: "MAX_TOKENS",
        errorCode: "MAX_TOKENS",
        errorMessage: "too long",
      },
    });
  });

  it("returns the content so far if the stream ends without a finish reason", () => {
    expect(aggregate(chunk({ text: "Hi" })).complete).toEqual({ content: { role: "model", parts: [{ text: "Hi" }] } });
  });

  it("returns a response even for an empty stream", () => {
    expect(aggregate().complete).toEqual({});
  });
});

describe("streamed arguments", () => {
  const args = (...chunks: readonly object[]): StreamChunk =>
    // Chunks of arguments are JSON objects.
    chunk({
      functionCall: {
        partialArgs: chunks as NonNullable<NonNullable<Part["functionCall"]>["partialArgs"]>,
        willContinue: true,
      },
    });
  const open = chunk({ functionCall: { id: "c1", name: "f", willContinue: true }, thoughtSignature: "s1" });
  const close = chunk({ functionCall: {} });
  const call = (value: object): unknown => ({
    functionCall: { id: "c1", name: "f", args: value },
    thoughtSignature: "s1",
  });

  it("become one call with the first chunk's id, name and signature", () => {
    expect(
      partsOf(
        open,
        args({ jsonPath: "$.city", stringValue: "Par" }),
        args({ jsonPath: "$.city", stringValue: "is" }, { jsonPath: "$.when.days", numberValue: 2 }),
        args({ jsonPath: "$.list[0]", boolValue: true }, { jsonPath: "$.list[1]['a b']", nullValue: "NULL_VALUE" }),
        close,
      ),
    ).toEqual([call({ city: "Paris", when: { days: 2 }, list: [true, { "a b": null }] })]);
  });

  it("are returned as they arrive", () => {
    const { shown } = aggregate(open, args({ jsonPath: "$.city", stringValue: "Par" }), close);
    expect(shown.map((each) => each?.content?.parts?.[0]?.functionCall)).toEqual([
      { id: "c1", name: "f", willContinue: true },
      { partialArgs: [{ jsonPath: "$.city", stringValue: "Par" }], willContinue: true },
      {},
    ]);
  });

  it("cannot exhaust the memory, reach a prototype, or use an invalid path", () => {
    const parts = partsOf(
      open,
      args(
        { jsonPath: "$.list[4000000000]", stringValue: "x" },
        { jsonPath: "$.__proto__.polluted", boolValue: true },
        { jsonPath: "$['__proto__'].polluted", boolValue: true },
        { jsonPath: "$.a[", stringValue: "x" },
        { jsonPath: "$", stringValue: "x" },
        { stringValue: "x" },
        { jsonPath: "$.ok", stringValue: "y" },
      ),
      close,
    );
    expect(parts).toEqual([call({ list: [], ok: "y" })]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("that a limit cut off make no call", () => {
    const { complete } = aggregate(open, args({ jsonPath: "$.city", stringValue: "Par" }), {
      finishReason: "MAX_TOKENS",
    });
    expect([complete.content, complete.errorCode]).toEqual([undefined, "MAX_TOKENS"]);
  });

  it("of two calls in a row do not mix", () => {
    const second = chunk({ functionCall: { id: "c2", name: "g", willContinue: true } });
    expect(
      partsOf(
        open,
        args({ jsonPath: "$.a", numberValue: 1 }),
        second,
        args({ jsonPath: "$.b", numberValue: 2 }),
        close,
      ),
    ).toEqual([call({ a: 1 }), { functionCall: { id: "c2", name: "g", args: { b: 2 } } }]);
  });
});
