import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { LinearPattern } from "./linear-pattern.ts";
import { UnsupportedPatternError } from "./pattern-syntax.ts";

const CHARACTER = fc.constantFrom(
  "a",
  "b",
  "\\.",
  ".",
  "[ab]",
  "[^a]",
  "\\d",
  "\\w",
  "\\s",
  "\\x61",
  "\\u0062",
  "-",
  "é",
);
const REPEAT = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?");
const { pattern: PATTERN } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("term"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((terms) => terms.join("")).join("|")),
  term: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.tuple(CHARACTER, REPEAT).map((parts) => parts.join("")),
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc
      .tuple(fc.constantFrom("(?:", "(", "(?<n>"), tie("pattern"), REPEAT)
      .map(([open, inner, repeat]) => `${open}${inner.replaceAll("(?<n>", "(")})${repeat}`),
  ),
}));
const TEXT = fc.string({ unit: fc.constantFrom("a", "b", ".", "1", " ", "-", "é"), maxLength: 12 });

const ENGINE = createContext({});

/**
 * What JavaScript's own engine finds; undefined if it backtracks for too long, as it does for some generated patterns.
 */
function testByEngine(source: string, flags: string, text: string): boolean | undefined {
  const code = `new RegExp(${JSON.stringify(source)}, ${JSON.stringify(flags)}).test(${JSON.stringify(text)})`;
  try {
    return runInContext(code, ENGINE, { timeout: 500 });
  } catch (error) {
    // Not `instanceof Error`: the error belongs to the other context, whose Error is not ours.
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

describe("LinearPattern", () => {
  it("matches what JavaScript's own engine matches", () => {
    fc.assert(
      fc.property(PATTERN, TEXT, fc.constantFrom("" as const, "u" as const), (source, text, flags) => {
        const pattern = attempt(() => new LinearPattern(source, flags));
        fc.pre(pattern !== undefined);
        const expected = testByEngine(source, flags, text);
        fc.pre(expected !== undefined);
        expect(pattern.test(text)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it("compares no further than JavaScript's own engine ends", () => {
    expect(testByEngine("^(?:a+)+$", "", `${"a".repeat(40)}!`)).toBeUndefined();
  });

  it.each([
    "https://[a-z]+\\.example\\.com",
    "https?://(?:[\\w-]{1,63}\\.)*example\\.com(?::\\d+)?",
    "^\\p{Lu}\\p{L}*$",
    "^[\\]\\[^-]$",
    "^(?<year>\\d{4})-\\d\\d$",
  ])("supports %s", (source) => {
    const texts = [
      "https://a.example.com",
      "http://a-b.c.example.com:80",
      "Éa",
      "]",
      "2026-11",
      "",
      "https://example.org",
    ];
    const pattern = new LinearPattern(source, "u");
    expect(texts.filter((text) => pattern.test(text))).toEqual(
      texts.filter((text) => new RegExp(source, "u").test(text)),
    );
  });

  it.each(["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "(?i:a)", "a{3000}", "(a{100}){100}"])(
    "refuses %s, which it cannot match in linear time",
    (source) => expect(() => new LinearPattern(source)).toThrow(UnsupportedPatternError),
  );

  it("refuses what is not a regular expression", () => {
    expect(() => new LinearPattern("(")).toThrow(SyntaxError);
  });

  it.each(["^(a+)+$", "^(a|a)*$", "^a*a*a*a*$"])("ends for %s and a text on which backtracking does not", (source) => {
    expect(new LinearPattern(source).test(`${"a".repeat(20_000)}!`)).toBe(false);
  });
});

/** Undefined for a pattern that is not a regular expression, or too large. */
function attempt(create: () => LinearPattern): LinearPattern | undefined {
  try {
    return create();
  } catch {
    return undefined;
  }
}
