import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { toSchema } from "../schema.ts";
import { lenientSchema } from "./lenient-schema.ts";
import { checkArguments, repairedArguments } from "./repaired-arguments.ts";

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest });

/** Arguments of models that fit in another form, and the form that the tool gets. */
const CASES: readonly (readonly [name: string, schema: JsonObject, given: JsonValue, meant: JsonValue])[] = [
  ["null for an optional member", object({ a: text, b: text }, { required: ["a"] }), { a: "x", b: null }, { a: "x" }],
  [
    "null in a list of objects",
    object({ l: { type: "array", items: object({ a: text }) } }),
    { l: [{ a: null }] },
    { l: [{}] },
  ],
  [
    "null three levels down",
    object({ a: object({ b: object({ c: number }) }) }),
    { a: { b: { c: null } } },
    { a: { b: {} } },
  ],
  ["null for an optional object", object({ a: object({ b: text }) }), { a: null }, {}],
  ["null for an optional list", object({ a: { type: "array", items: text } }), { a: null }, {}],
  ["null for an optional enumeration", object({ a: { enum: ["x", "y"] } }), { a: null }, {}],
  ["null behind a reference", object({ a: { $ref: "#/$defs/t" } }, { $defs: { t: text } }), { a: null }, {}],
  ["null in a branch", object({ a: { anyOf: [object({ b: number }), text] } }), { a: { b: null } }, { a: {} }],
  ["null in a part", { allOf: [object({ a: text }), object({ b: text })] }, { a: null, b: "x" }, { b: "x" }],
  ["null among additional members", object({}, { additionalProperties: number }), { a: null, b: 1 }, { b: 1 }],
  [
    "null for a member that is unknown",
    object({ a: text }, { additionalProperties: false }),
    { a: "x", b: null },
    { a: "x" },
  ],
  ["a text that spells a number", object({ a: number }), { a: "5.5" }, { a: 5.5 }],
  ["a text that spells a whole number", object({ a: integer }), { a: "5" }, { a: 5 }],
  ["a text that spells a truth", object({ a: { type: "boolean" } }), { a: "True" }, { a: true }],
  ["a number for a text", object({ a: text }), { a: 5 }, { a: "5" }],
  ["a truth for a text", object({ a: text }), { a: true }, { a: "true" }],
  ["an object written as text", object({ a: object({ b: number }) }), { a: '{"b":"1"}' }, { a: { b: 1 } }],
  ["a list written as text", object({ a: { type: "array", items: integer } }), { a: "[1,2]" }, { a: [1, 2] }],
  ["one value for a list", object({ a: { type: "array", items: text } }), { a: "x" }, { a: ["x"] }],
  ["one number for a list", object({ a: { type: "array", items: integer } }), { a: 5 }, { a: [5] }],
  ["numbers in a list", object({ a: { type: "array", items: integer } }), { a: ["1", 2] }, { a: [1, 2] }],
  [
    "an enumeration in another case",
    object({ a: { type: "string", enum: ["ASC", "DESC"] } }),
    { a: "asc" },
    { a: "ASC" },
  ],
  ["an enumeration of numbers", object({ a: { enum: [1, 2] } }), { a: "2" }, { a: 2 }],
  ["a number that may be null", object({ a: { type: ["integer", "null"] } }), { a: "5" }, { a: 5 }],
  ["a number behind a union", object({ a: { anyOf: [integer, { type: "null" }] } }), { a: "5" }, { a: 5 }],
];

/** Arguments that are wrong in another way, or not clear: the model is told. */
const WRONG: readonly (readonly [name: string, schema: JsonObject, given: JsonValue])[] = [
  ["null for a required member", object({ a: text }, { required: ["a"] }), { a: null }],
  ["a text that spells no number", object({ a: number }), { a: "five" }],
  ["a number with more digits than it keeps", object({ a: integer }), { a: "12345678901234567890" }],
  ["a fraction for a whole number", object({ a: integer }), { a: "5.5" }],
  ["an empty text for a number", object({ a: number }), { a: "" }],
  ["yes for a truth", object({ a: { type: "boolean" } }), { a: "yes" }],
  ["a text that is not JSON", object({ a: object({}) }), { a: "{b}" }],
  ["two values of an enumeration that differ in case", object({ a: { enum: ["A", "a"] } }), { a: "ä" }],
  ["a missing required member beside null", object({ a: text, b: text }, { required: ["a"] }), { b: null }],
];

describe("arguments in another form", () => {
  it.each(CASES)("are read as they are meant: %s", async (_, schema, given, meant) => {
    verifies("tools:arguments:as-meant");
    expect(await checkArguments(toSchema(schema), given)).toEqual({ ok: true, value: meant });
  });

  it.each(WRONG)("are refused: %s", async (_, schema, given) => {
    verifies("tools:arguments:as-meant");
    expect(await checkArguments(toSchema(schema), given)).toMatchObject({ ok: false });
  });

  it("are read as a form of zod means them, with its defaults", async () => {
    const form = z.object({
      q: z.string(),
      limit: z.number().int().optional(),
      page: z.number().default(1),
      sort: z.enum(["new", "old"]).nullish(),
    });
    expect(await checkArguments(toSchema(form), { q: "x", limit: null, page: null, sort: "NEW" })).toEqual({
      ok: true,
      value: { q: "x", page: 1, sort: "new" },
    });
    expect(await checkArguments(toSchema(form), { q: "x", sort: null })).toEqual({
      ok: true,
      value: { q: "x", page: 1, sort: null },
    });
  });

  it("stay as they are if they fit, and if nothing of them can be read differently", () => {
    const args = { a: "x", l: [{ b: 1 }], o: { c: null } };
    expect(repairedArguments(args, object({ a: text, l: { type: "array", items: object({ b: number }) } }))).toBe(args);
  });

  it("never change what a model may mean: each generated value that fits stays the same", async () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = randomFrom(seed);
      const { schema, value } = generated(random, 0);
      expect(await checkArguments(toSchema(object({ v: schema }, { required: ["v"] })), { v: value })).toEqual({
        ok: true,
        value: { v: value },
      });
    }
  });

  it("are read within bounds when a schema refers to itself", () => {
    const schema: JsonObject = { $ref: "#", anyOf: [{ $ref: "#" }, object({ a: { $ref: "#" } })] };
    let value: JsonValue = { a: null };
    for (let level = 0; level < 1000; level += 1) value = { a: value };
    expect(repairedArguments(value, schema)).toBe(value);
  });
});

describe("a server's schema", () => {
  it.each<[string, JsonObject, JsonValue]>([
    ["a format", object({ a: { type: "string", format: "date-time" } }), { a: "2026-01-01T10:00:00" }],
    ["overlapping branches", { oneOf: [object({ a: text }), object({ a: text, b: text })] }, { a: "x" }],
    ["overlapping branches beside other ones", { anyOf: [object({})], oneOf: [object({}), object({})] }, {}],
    [
      "a closed part",
      { allOf: [object({ a: text }, { additionalProperties: false }), object({ b: text })] },
      { a: "x", b: "y" },
    ],
    [
      "a closed whole around parts",
      { ...object({}, { additionalProperties: false }), allOf: [object({ a: text })] },
      { a: "x" },
    ],
    ["a fraction as step", object({ a: { type: "number", multipleOf: 0.01 } }), { a: 19.99 }],
    [
      "members named as keywords",
      object({ format: text, oneOf: { type: "array" }, multipleOf: number }),
      { format: "x", oneOf: [], multipleOf: 0.3 },
    ],
  ])("accepts what the server does: %s", async (_, schema, value) => {
    expect(await toSchema(lenientSchema(schema)).check(value)).toEqual({ ok: true, value });
  });

  it("still refuses what no server accepts", async () => {
    const schema = lenientSchema(object({ format: integer }, { required: ["format"], additionalProperties: false }));
    expect(await toSchema(schema).check({})).toMatchObject({ ok: false });
    expect(await toSchema(schema).check({ format: "x" })).toMatchObject({ ok: false });
    expect(await toSchema(schema).check({ format: 1, other: 1 })).toMatchObject({ ok: false });
  });
});

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** A schema, and a value that fits it. */
function generated(random: (below: number) => number, depth: number): { schema: JsonObject; value: JsonValue } {
  const scalars: readonly { schema: JsonObject; value: JsonValue }[] = [
    { schema: text, value: ["x", "5", "true", "null", "{}", ""][random(6)] ?? "" },
    { schema: integer, value: random(100) },
    { schema: { type: "boolean" }, value: random(2) === 0 },
    { schema: { type: ["string", "null"] }, value: null },
    { schema: { enum: ["A", "b"] }, value: "b" },
    { schema: {}, value: null },
  ];
  const scalar = scalars[random(scalars.length)] ?? { schema: {}, value: null };
  if (depth > 3 || random(3) === 0) return scalar;
  const inner = generated(random, depth + 1);
  if (random(3) === 0) return { schema: { type: "array", items: inner.schema }, value: [inner.value, inner.value] };
  if (random(3) === 0) return { schema: { anyOf: [inner.schema, scalar.schema] }, value: inner.value };
  const isRequired = random(2) === 0;
  const schema = object({ a: inner.schema, b: scalar.schema }, isRequired ? { required: ["a"] } : {});
  return { schema, value: random(2) === 0 || isRequired ? { a: inner.value } : {} };
}
