import { describe, expect, it } from "vitest";
import { queryWordsOf, wordsOf } from "./words.ts";

describe("wordsOf", () => {
  it("returns each word once, without case, accents and punctuation", () => {
    expect([...wordsOf("Hello, hello WORLD_wide: l'été #42 ²")]).toEqual([
      "hello",
      "world",
      "wide",
      "l",
      "ete",
      "42",
      "2",
    ]);
  });

  it("returns characters and pairs of scripts without spaces, and leaves the rest of a mixed word whole", () => {
    expect([...wordsOf("東京都 iPhone版")]).toEqual(["東", "東京", "京", "京都", "都", "iphone", "版"]);
  });

  it("keeps Hangul syllables and the vowel signs of Indic scripts", () => {
    expect([...wordsOf("김치")]).toEqual(["김", "김치", "치"]);
    expect([...wordsOf("हिंदी")]).toEqual(["हिंदी"]);
  });

  it("is not slowed down by a megabyte of one word", () => {
    expect([...wordsOf("a".repeat(1_000_000))]).toEqual(["a".repeat(64)]);
  });
});

describe("queryWordsOf", () => {
  it("returns pairs of scripts without spaces, and a character only if it has no neighbour", () => {
    expect([...queryWordsOf("東京都 と x")]).toEqual(["東京", "京都", "と", "x"]);
  });
});
