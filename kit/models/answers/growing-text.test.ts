import { describe, expect, it } from "vitest";
import { piecesOf } from "#test/helpers/dialects/answer.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { GrowingText } from "./growing-text.ts";

function read(chunks: readonly string[], endsWithWhole = false): string {
  const text = new GrowingText();
  const added = chunks.map((chunk, index) => text.add(chunk, { isLast: index === chunks.length - 1 }));
  return added.join("") + text.end() + (endsWithWhole ? text.addWhole(chunks.join("")) : "");
}

/** Texts whose begin is not repeated: they differ from all that repeat themselves. */
const texts = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => `Hello ${text}`);

describe("a text in chunks", () => {
  it("is what the pieces are together, also of texts that repeat themselves", () => {
    verifies("records:model-answers:dialects");
    fc.assert(
      fc.property(fc.oneof(texts, fc.constantFrom("ha".repeat(40), "1".repeat(50), "na na na na na")), (text) => {
        expect(read(piecesOf(text))).toBe(text);
        expect(read(piecesOf(text), true)).toBe(text);
      }),
    );
  });

  it("is what the last chunk says, if each chunk says all so far, once or twice", () => {
    verifies("records:model-answers:dialects");
    fc.assert(
      fc.property(texts, fc.boolean(), (text, isRepeated) => {
        const pieces = piecesOf(text);
        const chunks = pieces.map((_, index) => pieces.slice(0, index + 1).join(""));
        expect(read([...chunks, ...(isRepeated ? [text] : [])])).toBe(text);
      }),
    );
  });

  it("is not said again by a last chunk that repeats all", () => {
    verifies("records:model-answers:dialects");
    expect(read(["Hello ", "you ", "there", "Hello you there"])).toBe("Hello you there");
    expect(read(["ha", "ha"])).toBe("haha");
  });
});
