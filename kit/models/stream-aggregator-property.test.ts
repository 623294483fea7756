import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import type { Part } from "../events/content.ts";
import type { LlmResponse } from "./llm-response.ts";
import { StreamAggregator, type StreamChunk } from "./stream-aggregator.ts";

const signature = fc.option(fc.constantFrom("s1", "s2"), { nil: undefined });

const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.string({ maxLength: 4 }), fc.boolean(), signature).map(textPart) },
  { weight: 1, arbitrary: fc.nat(99).map((id) => ({ functionCall: { id: String(id), name: "f", args: { id } } })) },
  { weight: 1, arbitrary: fc.constant({ inlineData: { mimeType: "image/png", data: "aGk=" } }) },
);

const chunks: fc.Arbitrary<StreamChunk[]> = fc.array(
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

function aggregate(all: readonly StreamChunk[]): {
  readonly shown: readonly LlmResponse[];
  readonly complete: LlmResponse;
} {
  const aggregator = new StreamAggregator();
  const shown = all.flatMap((chunk) => aggregator.add(chunk) ?? []);
  return { shown, complete: aggregator.finish() };
}

const partsOf = (responses: readonly LlmResponse[]): readonly Part[] =>
  responses.flatMap(({ content }) => content?.parts ?? []);

const textOfKind = (parts: readonly Part[], isThought: boolean): string =>
  parts.map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");

describe("any stream", () => {
  it("yields partial responses whose joined texts are the text of the complete response, for answer and thoughts each", () => {
    fc.assert(
      fc.property(chunks, (all) => {
        const { shown, complete } = aggregate(all);
        for (const isThought of [false, true]) {
          expect(textOfKind(partsOf(shown), isThought)).toBe(textOfKind(partsOf([complete]), isThought));
        }
      }),
    );
  });

  it("keeps all calls and files in order, in the partial responses and in the complete response", () => {
    fc.assert(
      fc.property(chunks, (all) => {
        const { shown, complete } = aggregate(all);
        const others = (parts: readonly Part[]): readonly Part[] => parts.filter(({ text }) => text === undefined);
        expect(others(partsOf(shown))).toEqual(others(partsOf(all)));
        expect(others(partsOf([complete]))).toEqual(others(partsOf(all)));
      }),
    );
  });

  it("keeps at least one signature of each run of text that has one", () => {
    fc.assert(
      fc.property(chunks, (all) => {
        const signed = (parts: readonly Part[]): ReadonlySet<string | undefined> =>
          new Set(parts.map(({ thoughtSignature }) => thoughtSignature));
        const { complete } = aggregate(all);
        for (const known of signed(partsOf(all))) {
          if (known !== undefined) expect(signed(partsOf([complete]))).toContain(known);
        }
      }),
    );
  });

  it("marks every partial response and never the complete one, and reports the newest usage", () => {
    fc.assert(
      fc.property(chunks, (all) => {
        const { shown, complete } = aggregate(all);
        expect(shown.every(({ partial }) => partial === true)).toBe(true);
        expect(complete.partial).toBeUndefined();
        expect(complete.usageMetadata).toEqual(all.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata);
      }),
    );
  });
});
