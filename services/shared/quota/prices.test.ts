import { expect, it } from "vitest";
import { microUsdOf, sumOf, tokensOf } from "./prices.ts";

const PRICE = { input: 0.3, cached: 0.075, output: 2.5 };

it("prices a call by its tokens: cached ones less, thoughts as output unless they have a price", () => {
  const tokens = tokensOf({
    promptTokenCount: 1000,
    cachedContentTokenCount: 400,
    candidatesTokenCount: 100,
    thoughtsTokenCount: 50,
    totalTokenCount: 1150,
  });
  expect(tokens).toEqual({ input: 600, cached: 400, output: 100, thoughts: 50 });
  expect(sumOf(tokens)).toBe(1150);
  expect(microUsdOf(tokens, PRICE)).toBe(585);
  expect(microUsdOf(tokens, { ...PRICE, thoughts: 0 })).toBe(460);
  expect(microUsdOf(tokensOf({ promptTokenCount: 1 }), PRICE)).toBe(1);
});

it("counts what only the total has as output", () => {
  expect(tokensOf({ totalTokenCount: 30 })).toEqual({ input: 0, cached: 0, output: 30, thoughts: 0 });
  expect(tokensOf({ promptTokenCount: 10, toolUsePromptTokenCount: 5, totalTokenCount: 12 })).toEqual({
    input: 15,
    cached: 0,
    output: 0,
    thoughts: 0,
  });
});

it.each([
  ["negative", { promptTokenCount: -5, candidatesTokenCount: -1, totalTokenCount: -1e9 }, 0],
  ["no numbers", { promptTokenCount: Number.NaN, totalTokenCount: JSON.parse('"7"') }, 0],
  ["nothing", {}, 0],
  ["fractions", { promptTokenCount: 0.5 }, 1],
  ["too large", { promptTokenCount: 1e308, candidatesTokenCount: Number.POSITIVE_INFINITY }, 2e8],
  ["more cached than prompted", { promptTokenCount: 5, cachedContentTokenCount: 50 }, 5],
])("makes whole numbers of usage that is %s", (_, usage, sum) => {
  const tokens = tokensOf(usage);
  expect(sumOf(tokens)).toBe(sum);
  const cost = microUsdOf(tokens, { input: 1e6, output: 1e6 });
  expect(cost).toBeGreaterThanOrEqual(0);
  expect(Number.isSafeInteger(cost)).toBe(true);
});
