import { expect, it } from "vitest";
import { rougeTokens } from "./tokens.ts";

// As google-adk 2.13.0 gives them.
it.each([
  ["Running, ran; RUNS", ["run", "ran", "run"]],
  ["コーヒー・ミルク゠2", ["コ", "ー", "ヒ", "ー", "・", "ミ", "ル", "ク", "゠", "2"]],
  ["ab天気cd", ["ab", "天", "気", "cd"]],
  ["สวัสดีab", ["ส", "วั", "ส", "ดีab"]],
  ["ﬁne straße e\u0301", ["fine", "straße", "é"]],
])("makes the tokens of %s", (text, tokens) => {
  expect(rougeTokens(text)).toEqual(tokens);
});

it("of a text without end are those of its beginning", () => {
  expect(rougeTokens("word ".repeat(4_000_000))).toHaveLength(100_000);
});
