import { expect, it } from "vitest";
import { ValueCleaner } from "./clean-value.ts";

function clean(value: unknown, maxLength = 10) {
  const cleaner = new ValueCleaner(maxLength);
  return [cleaner.clean(value), cleaner.isTruncated] as const;
}

it.each([
  ["client_secret", "s"],
  ["Access_Token", { nested: 1 }],
  ["refresh_token", "s"],
  ["id_token", "s"],
  ["API_KEY", "s"],
  ["password", ["s"]],
  ["temp:draft", "s"],
])("replaces the value of %s at any depth", (key, value) => {
  expect(clean([{ a: { [key]: value, kept: 1 } }])[0]).toEqual([{ a: { [key]: "[REDACTED]", kept: 1 } }]);
});

it("returns what needs no change as it is, and changes nothing that it was given", () => {
  const fine = { a: [1, "x", { b: null }], passwords: "kept" };
  expect(clean(fine)[0]).toBe(fine);
  const secret = { list: [{ password: "p" }] };
  clean(secret);
  expect(secret).toEqual({ list: [{ password: "p" }] });
});

it("cuts long texts, and says so", () => {
  expect(clean({ a: "x".repeat(11) })).toEqual([{ a: `${"x".repeat(10)}...[truncated]` }, true]);
  expect(clean({ a: "x".repeat(10) })[1]).toBe(false);
});

it("names what JSON cannot express", () => {
  const broken = {
    get a() {
      throw new Error("no");
    },
  };
  const given = [1n, () => 1, Symbol("s"), Number.NaN, broken, { at: new URL("http://a/") }, undefined];
  expect(clean(given)[0]).toEqual([
    ...Array.from({ length: 3 }, () => "[UNSERIALIZABLE]"),
    "NaN",
    "[UNSERIALIZABLE]",
    { at: "http://a/" },
    null,
  ]);
});

it("ends at cycles, at a depth and at a number of values", () => {
  const cycle: Record<string, unknown> = { a: 1 };
  cycle["self"] = cycle;
  expect(clean(cycle)[0]).toEqual({ a: 1, self: "[cycle detected]" });
  let deep: unknown = "end";
  for (let depth = 0; depth < 300; depth += 1) deep = [deep];
  expect(JSON.stringify(clean(deep)[0])).toContain("[max depth exceeded]");
  // Each level has the one below it twice: two to the power of 60 values.
  let wide: unknown = { x: 1 };
  for (let level = 0; level < 60; level += 1) wide = { left: wide, right: wide };
  const [text, isTruncated] = [JSON.stringify(clean(wide)[0]), clean(wide)[1]];
  expect([text.length < 2_000_000, text.includes("[max size exceeded]"), isTruncated]).toEqual([true, true, true]);
});
