import { describe, expect, it } from "vitest";
import { randomText } from "./random-text.ts";

describe("a random text", () => {
  it("has as many random bytes, and none that another text has, also when the pool is filled again", () => {
    const texts = Array.from({ length: 2000 }, (_, index) => randomText(16 + (index % 17)));
    expect(texts.map((text) => Buffer.from(text, "base64url").length)).toEqual(
      texts.map((_, index) => 16 + (index % 17)),
    );
    const pieces = texts.flatMap((text) => {
      const bytes = Buffer.from(text, "base64url");
      return [bytes.subarray(0, 8), bytes.subarray(8, 16), bytes.subarray(-8)].map((piece) => piece.toString("hex"));
    });
    // The last part is the second one of a text of 16 bytes.
    expect(new Set(pieces).size).toBe(3 * 2000 - texts.filter((_, index) => index % 17 === 0).length);
  });

  it("uses every value of a byte", () => {
    const bytes = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from(randomText(32), "base64url")));
    expect(new Set(bytes).size).toBe(256);
  });

  it("is refused if it is longer than the pool", () => {
    expect(() => randomText(4097)).toThrow(RangeError);
  });
});
