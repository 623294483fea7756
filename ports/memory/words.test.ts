import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
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

describe("words that are written in several ways", () => {
  it("are the same: ß and ss, ligatures and letters, pictographs of all skins", () => {
    verifies("memory:search:words");
    for (const [one, other] of [
      ["straße", "STRASSE"],
      ["ﬁsh", "FISH"],
      ["👍🏽", "👍"],
      ["ΟΔΟΣ", "οδος"],
    ] as const)
      expect([...wordsOf(one)]).toEqual(expect.arrayContaining([...wordsOf(other)]));
    expect([...wordsOf("a 🍕 ❤️")]).toEqual(["a", "🍕", "❤"]);
  });
});

describe("queryWordsOf", () => {
  it("has single Chinese characters, but for those that only have a function", () => {
    verifies("memory:search:words");
    expect([...queryWordsOf("我喜欢喝茶")]).toEqual(["我喜", "喜欢", "欢喝", "喝", "喝茶", "茶"]);
  });

  it("returns pairs of scripts without spaces, and another character only if it has no neighbour", () => {
    expect([...queryWordsOf("東京都 と x")]).toEqual(["東", "東京", "京", "京都", "と", "x"]);
  });
});
