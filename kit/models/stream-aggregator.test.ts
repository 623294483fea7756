import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import type { Part } from "../events/content.ts";
import type { LlmResponse } from "./llm-response.ts";
import { StreamAggregator, type StreamPiece } from "./stream-aggregator.ts";

const piece = (...parts: readonly Part[]): StreamPiece => ({ content: { role: "model", parts } });

function aggregate(...pieces: readonly StreamPiece[]): {
  shown: readonly (LlmResponse | undefined)[];
  complete: LlmResponse;
} {
  const aggregator = new StreamAggregator();
  const shown = pieces.map((each) => aggregator.add(each));
  return { shown, complete: aggregator.finish() };
}

const partsOf = (...pieces: readonly StreamPiece[]): readonly Part[] | undefined =>
  aggregate(...pieces).complete.content?.parts;

describe("StreamAggregator", () => {
  it("shows each piece as partial and gives one response with everything", () => {
    const usageMetadata = { totalTokenCount: 3 };
    expect(
      aggregate(piece({ text: "Hel" }), { ...piece({ text: "lo" }), usageMetadata, finishReason: "STOP" }),
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
        piece({ text: "think", thought: true }),
        piece({ text: "ing", thought: true }, { text: "a" }),
        piece({ text: "b" }, call, image),
        piece({ text: "c" }),
      ),
    ).toEqual([{ text: "thinking", thought: true }, { text: "ab" }, call, image, { text: "c" }]);
  });

  it("keeps the first signature of a run of text", () => {
    expect(partsOf(piece({ text: "a" }), piece({ text: "b", thoughtSignature: "s1" }), piece({ text: "c" }))).toEqual([
      { text: "abc", thoughtSignature: "s1" },
    ]);
  });

  it("begins a new part where another signature comes, so that none is lost", () => {
    expect(partsOf(piece({ text: "a", thoughtSignature: "s1" }), piece({ text: "b", thoughtSignature: "s2" }))).toEqual(
      [
        { text: "a", thoughtSignature: "s1" },
        { text: "b", thoughtSignature: "s2" },
      ],
    );
  });

  it("keeps a signature that comes without text, and shows nothing for it", () => {
    expect(aggregate(piece({ text: "", thoughtSignature: "s1" }))).toEqual({
      shown: [undefined],
      complete: { content: { role: "model", parts: [{ text: "", thoughtSignature: "s1" }] } },
    });
  });

  it("separates text where an adapter says that a part has ended", () => {
    expect(
      partsOf({ ...piece({ text: "a", thought: true }), endOfPart: true }, piece({ text: "b", thought: true })),
    ).toEqual([
      { text: "a", thought: true },
      { text: "b", thought: true },
    ]);
  });

  it("drops empty parts and pieces that have none", () => {
    expect(aggregate(piece({ text: "" }), { usageMetadata: { totalTokenCount: 1 } }, piece({}))).toEqual({
      shown: [undefined, undefined, undefined],
      complete: { usageMetadata: { totalTokenCount: 1 } },
    });
  });

  it("lets the last usage and grounding win, and an empty one not erase them", () => {
    const groundingMetadata = { webSearchQueries: ["paris"] };
    expect(
      aggregate(
        { usageMetadata: { totalTokenCount: 1 } },
        { usageMetadata: { totalTokenCount: 2 }, groundingMetadata },
        { usageMetadata: {}, groundingMetadata: {} },
      ).complete,
    ).toEqual({ usageMetadata: { totalTokenCount: 2 }, groundingMetadata });
  });

  it("tells an end other than STOP as error code on the complete response alone", () => {
    verifies(
      "errors:model:response",
      "model:response:error-code",
      "model:response:error-message",
      "model:response:finish-reason",
    );
    const pieces = [{ ...piece({ text: "Once" }), finishReason: "MAX_TOKENS", errorMessage: "too long" }];
    expect(aggregate(...pieces)).toEqual({
      shown: [{ content: { role: "model", parts: [{ text: "Once" }] }, finishReason: "MAX_TOKENS", partial: true }],
      complete: {
        content: { role: "model", parts: [{ text: "Once" }] },
        finishReason: "MAX_TOKENS",
        errorCode: "MAX_TOKENS",
        errorMessage: "too long",
      },
    });
  });

  it("gives what came when the stream ends without a finish reason", () => {
    expect(aggregate(piece({ text: "Hi" })).complete).toEqual({ content: { role: "model", parts: [{ text: "Hi" }] } });
  });

  it("gives a response even when nothing came", () => {
    expect(aggregate().complete).toEqual({});
  });
});

describe("streamed arguments", () => {
  const args = (...pieces: readonly object[]): StreamPiece =>
    // Pieces of arguments are JSON objects.
    piece({
      functionCall: {
        partialArgs: pieces as NonNullable<NonNullable<Part["functionCall"]>["partialArgs"]>,
        willContinue: true,
      },
    });
  const open = piece({ functionCall: { id: "c1", name: "f", willContinue: true }, thoughtSignature: "s1" });
  const close = piece({ functionCall: {} });
  const call = (value: object): unknown => ({
    functionCall: { id: "c1", name: "f", args: value },
    thoughtSignature: "s1",
  });

  it("become one call with the first piece's id, name and signature", () => {
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

  it("are shown as they come", () => {
    const { shown } = aggregate(open, args({ jsonPath: "$.city", stringValue: "Par" }), close);
    expect(shown.map((each) => each?.content?.parts?.[0]?.functionCall)).toEqual([
      { id: "c1", name: "f", willContinue: true },
      { partialArgs: [{ jsonPath: "$.city", stringValue: "Par" }], willContinue: true },
      {},
    ]);
  });

  it("cannot fill the memory, reach a prototype, or follow a broken path", () => {
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

  it("that were cut off by a limit make no call", () => {
    const { complete } = aggregate(open, args({ jsonPath: "$.city", stringValue: "Par" }), {
      finishReason: "MAX_TOKENS",
    });
    expect([complete.content, complete.errorCode]).toEqual([undefined, "MAX_TOKENS"]);
  });

  it("of two calls in a row do not mix", () => {
    const second = piece({ functionCall: { id: "c2", name: "g", willContinue: true } });
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
