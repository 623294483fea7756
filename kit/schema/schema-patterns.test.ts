import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { toSchema } from "./schema.ts";
import { assertLinearPatterns } from "./schema-patterns.ts";

const EVIL = "^(?=(a+)+$).*$";
const LONG = `${"a".repeat(35)}!`;
const accepts = async (schema: JsonObject, value: unknown): Promise<boolean> =>
  (await toSchema(schema).check(value)).ok;

describe("patterns of an agent's code", () => {
  it("end for a text on which backtracking does not", async () => {
    const properties = { name: { type: "string", pattern: "^(a+)+$" } };
    const schema = toSchema({ type: "object", properties }, { isOwn: true });
    expect(await schema.check({ name: `${"a".repeat(5000)}!` })).toMatchObject({ ok: false });
    expect(await schema.check({ name: "aaa" })).toMatchObject({ ok: true });
  });

  it("may use all of JavaScript's syntax", async () => {
    const schema = toSchema({ type: "string", pattern: "^(?=.*\\d).{3,}$" }, { isOwn: true });
    expect(await schema.check("ab1")).toMatchObject({ ok: true });
    expect(await schema.check("abc")).toMatchObject({ ok: false });
  });

  it("leave data and members of that name alone", async () => {
    const schema = toSchema(
      {
        type: "object",
        properties: { pattern: { const: { pattern: "(" } } },
        patternProperties: { "^x-": { type: "string", pattern: "^b$" } },
      },
      { isOwn: true },
    );
    expect(await schema.check({ pattern: { pattern: "(" }, "x-a": "b" })).toMatchObject({ ok: true });
    expect(await schema.check({ "x-a": "c" })).toMatchObject({ ok: false });
  });

  it("refuse a text that would take too long, and name the reason", async () => {
    const schema = toSchema({ type: "string", pattern: "^(?:a{1,30}){1,30}$" }, { isOwn: true });
    const problems = ["the text is too long for the patterns of the schema"];
    expect(await schema.check("a".repeat(1_000_000))).toEqual({ ok: false, problems });
    expect(await schema.check("aaa")).toMatchObject({ ok: true });
  });
});

describe("patterns of others", () => {
  // Each would take JavaScript's engine hours.
  it.each<[string, JsonObject, unknown]>([
    ["lookahead", { type: "string", pattern: EVIL }, LONG],
    ["a back reference", { type: "string", pattern: "^(a+)+\\1$" }, LONG],
    ["names of members", { type: "object", patternProperties: { "^(a+)+$": { type: "number" } } }, { [LONG]: "x" }],
    [
      "names of members beside others",
      { type: "object", patternProperties: { "^(a+)+$": {} }, additionalProperties: false },
      { [LONG]: "x" },
    ],
    ["names of members within", { properties: { a: { patternProperties: { "^(a+)+$": {} } } } }, { a: { [LONG]: 1 } }],
    ["a pattern of names", { propertyNames: { pattern: EVIL } }, { [LONG]: 1 }],
    ["a pattern in a list", { items: { anyOf: [{ type: "string", pattern: EVIL }, { type: "number" }] } }, [LONG, 1]],
    ["a negated pattern", { not: { pattern: EVIL } }, LONG],
    ["a pattern of which one must match", { oneOf: [{ pattern: EVIL }, { pattern: EVIL }] }, LONG],
    ["a condition", { if: { pattern: EVIL }, else: { const: "b" } }, LONG],
    [
      "names that others must not have",
      { allOf: [{ patternProperties: { "(a+)+$": {} } }], unevaluatedProperties: false },
      { [LONG]: 1 },
    ],
    ["a target", { $ref: "#/$defs/a", $defs: { a: { pattern: EVIL } } }, LONG],
    ["no pattern at all", { type: "string", pattern: "(" }, LONG],
    ["too many states", { type: "string", pattern: "(?:a{1,500}){1,500}$" }, LONG],
    ["a long source", { type: "string", pattern: "a".repeat(100_000) }, LONG],
    ["a text that takes too long", { type: "string", pattern: "^(?:a{1,30}){1,30}$" }, "a".repeat(1_000_000)],
  ])("are annotations where they cannot be matched in linear time: %s", async (_, schema, value) => {
    verifies("tools:schema:patterns");
    expect(await accepts(schema, value)).toBe(true);
  });

  it("leave the rest of the schema in force", async () => {
    verifies("tools:schema:patterns");
    const schema: JsonObject = {
      type: "object",
      properties: { a: { type: "string", pattern: EVIL }, b: { type: "string", pattern: "^b+$" } },
      patternProperties: { "^x-(?=a)": { type: "number" } },
      required: ["a"],
    };
    expect(await accepts(schema, { a: LONG, b: "bb", "x-a": "text" })).toBe(true);
    expect(await accepts(schema, { a: 5 })).toBe(false);
    expect(await accepts(schema, { a: LONG, b: "c" })).toBe(false);
    expect(await accepts(schema, {})).toBe(false);
  });
});

describe("assertLinearPatterns", () => {
  it.each([
    [{ type: "string", pattern: "(?=a)b" }, "lookahead"],
    [{ items: { anyOf: [{ pattern: "(" }] } }, "Invalid regular expression"],
    [{ properties: { a: { patternProperties: { "(a+)+$": {} } } } }, "patternProperties"],
  ])("refuses %j", (schema, message) => expect(() => assertLinearPatterns(schema)).toThrow(message));

  it("accepts what is matched in linear time", () => {
    expect(() => assertLinearPatterns({ properties: { pattern: { pattern: "^(a+)+$" } } })).not.toThrow();
  });
});
