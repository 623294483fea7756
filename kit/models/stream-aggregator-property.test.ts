import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Part } from "../events/content.ts";
import type { LlmResponse } from "./llm-response.ts";
import { StreamAggregator, type StreamPiece } from "./stream-aggregator.ts";

const signature = fc.option(fc.constantFrom("s1", "s2"), { nil: undefined });

const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.string({ maxLength: 4 }), fc.boolean(), signature).map(textPart) },
  { weight: 1, arbitrary: fc.nat(99).map((id) => ({ functionCall: { id: String(id), name: "f", args: { id } } })) },
  { weight: 1, arbitrary: fc.constant({ inlineData: { mimeType: "image/png", data: "aGk=" } }) },
);

const pieces: fc.Arbitrary<StreamPiece[]> = fc.array(
  fc.record(
    {
      content: fc.record({ role: fc.constant("model"), parts: fc.array(part, { maxLength: 3 }) }),
      endOfPart: fc.boolean(),
      usageMetadata: fc.record({ totalTokenCount: fc.nat() }),
      finishReason: fc.constantFrom("STOP", "MAX_TOKENS"),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 12 },
);

function textPart([text, thought, thoughtSignature]: [string, boolean, string | undefined]): Part {
  return { text, ...(thought && { thought }), ...(thoughtSignature !== undefined && { thoughtSignature }) };
}

function aggregate(all: readonly StreamPiece[]): {
  readonly shown: readonly LlmResponse[];
  readonly complete: LlmResponse;
} {
  const aggregator = new StreamAggregator();
  const shown = all.flatMap((piece) => aggregator.add(piece) ?? []);
  return { shown, complete: aggregator.finish() };
}

const partsOf = (responses: readonly LlmResponse[]): readonly Part[] =>
  responses.flatMap(({ content }) => content?.parts ?? []);

const textOfKind = (parts: readonly Part[], isThought: boolean): string =>
  parts.map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");

describe("any stream", () => {
  it("gives pieces whose texts, joined, are the text of the complete response: answer and thoughts apart", () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const { shown, complete } = aggregate(all);
        for (const isThought of [false, true]) {
          expect(textOfKind(partsOf(shown), isThought)).toBe(textOfKind(partsOf([complete]), isThought));
        }
      }),
    );
  });

  it("loses no call, no file and no order of them, in the pieces or in the complete response", () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const { shown, complete } = aggregate(all);
        const others = (parts: readonly Part[]): readonly Part[] => parts.filter(({ text }) => text === undefined);
        expect(others(partsOf(shown))).toEqual(others(partsOf(all)));
        expect(others(partsOf([complete]))).toEqual(others(partsOf(all)));
      }),
    );
  });

  it("keeps at least one signature of each run of text that had any", () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const signed = (parts: readonly Part[]): ReadonlySet<string | undefined> =>
          new Set(parts.map(({ thoughtSignature }) => thoughtSignature));
        const { complete } = aggregate(all);
        for (const known of signed(partsOf(all))) {
          if (known !== undefined) expect(signed(partsOf([complete]))).toContain(known);
        }
      }),
    );
  });

  it("marks every piece and never the complete response, and tells the newest usage", () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const { shown, complete } = aggregate(all);
        expect(shown.every(({ partial }) => partial === true)).toBe(true);
        expect(complete.partial).toBeUndefined();
        expect(complete.usageMetadata).toEqual(all.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata);
      }),
    );
  });
});
