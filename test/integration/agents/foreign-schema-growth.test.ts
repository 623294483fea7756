import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { deriveArgumentSets } from "#kit/models/demo/arguments.ts";
import { providerRules } from "#kit/models/wire/provider-rules.ts";
import { isClosed, isStrict } from "#kit/models/wire/schemas/closed-schema.ts";
import { argumentsForm, objectForm, typedForm } from "#kit/models/wire/schemas/schema-form.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { lenientSchema } from "#kit/schema/arguments/lenient-schema.ts";
import { checkArguments, withoutOptionalNulls } from "#kit/schema/arguments/repaired-arguments.ts";
import { boundedSchema } from "#kit/schema/bounded-schema.ts";
import { convertOpenApiSchemaToJsonSchema } from "#kit/schema/open-api-types.ts";
import { toSchema } from "#kit/schema/schema.ts";
import { convertJsonSchemaToOpenApiSchema } from "#kit/tools/application-integration/json-schema-to-open-api.ts";
import { cpuGrowth } from "#test/helpers/cpu-growth.ts";
import { verifies } from "#test/helpers/verifies.ts";

/** From this size on, forms with limits have reached them. */
const LEAST = 4;
const FACTOR = 4;
/** Between the growth of linear work, 4, and of quadratic work, 16. */
const MAX_GROWTH = 11;

const A: JsonObject = { $ref: "#/$defs/a" };

const times = <Item>(count: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => JsonValue): JsonObject =>
  Object.fromEntries(times(count, (index) => [`p${index}`, make(index)]));
const withDefinitions = ($defs: JsonObject): JsonObject => ({ type: "object", properties: { x: A }, $defs });
/** A definition that refers to itself so many times. */
const recursive = (size: number, make: (references: readonly JsonObject[]) => JsonObject): JsonObject =>
  withDefinitions({ a: make(times(1 + Math.floor(size / 8), () => A)) });
/** Definitions of which each refers to the next one several times. */
const doubling = (size: number, make: (next: JsonObject) => JsonObject): JsonObject => {
  const last = 8 + size;
  const definitions = times(last, (at) => [at === 0 ? "a" : `a${at}`, make({ $ref: `#/$defs/a${at + 1}` })]);
  return withDefinitions({ ...Object.fromEntries(definitions), [`a${last}`]: { type: "string" } });
};
const nested = (size: number, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
  const inner = times(10 * size, () => 0).reduce<JsonObject>((schema) => wrap(schema), { type: "string" });
  return { type: "object", properties: { x: inner } };
};

/** Schemas whose authors want to cost time. Their text grows with the size alone. */
const SCHEMAS: Readonly<Record<string, (size: number) => JsonObject>> = {
  "recursion in allOf": (size) => recursive(size, (again) => ({ allOf: again })),
  "recursion in anyOf": (size) => recursive(size, (again) => ({ anyOf: again })),
  "recursion in oneOf": (size) => recursive(size, (again) => ({ oneOf: [...again, { type: "string" }] })),
  "recursion in parts of choices": (size) =>
    recursive(size, (again) => ({ anyOf: again.map((one) => ({ allOf: [one, { type: "string" }] })) })),
  "recursion in choices of parts": (size) =>
    recursive(size, (again) => ({ allOf: again.map((one) => ({ anyOf: [{ type: "string" }, one] })) })),
  "recursion in members": (size) =>
    recursive(size, (again) => ({ type: "object", properties: Object.fromEntries(again.entries()) })),
  "recursion in items": (size) => recursive(size, (again) => ({ type: "array", prefixItems: again, items: A })),
  "recursion at the root": (size) => ({ type: "object", anyOf: times(16 * size, () => ({ $ref: "#" })) }),
  "doubling parts": (size) => doubling(size, (next) => ({ allOf: [next, next] })),
  "doubling choices": (size) => doubling(size, (next) => ({ anyOf: [next, { oneOf: [next] }] })),
  "doubling members": (size) => doubling(size, (next) => ({ type: "object", properties: { x: next, y: next } })),
  "doubling conditions": (size) => doubling(size, (next) => ({ if: next, then: next, else: next })),
  "doubling negations": (size) => doubling(size, (next) => ({ not: { anyOf: [next, { not: next }] } })),
  "deep members": (size) => nested(size, (inner) => ({ type: "object", properties: { x: inner } })),
  "deep choices": (size) => nested(size, (inner) => ({ anyOf: [inner, { type: "null" }] })),
  "deep items": (size) => nested(size, (inner) => ({ type: ["array", "null"], items: inner })),
  "many members": (size) => ({ type: "object", properties: named(60 * size, (at) => ({ description: `${at}` })) }),
  "many names to change": (size) => ({
    type: "object",
    properties: Object.fromEntries(times(60 * size, (at) => [`${" ".repeat(at % 9)}é ${at}`, { type: "string" }])),
  }),
  "many choices": (size) => ({
    type: "object",
    properties: { x: { anyOf: times(60 * size, (at) => ({ properties: { k: { const: at } }, required: ["k"] })) } },
  }),
  "many parts": (size) => ({
    type: "object",
    properties: {
      x: {
        allOf: times(60 * size, (at) => ({ properties: { [`p${at}`]: { type: "string" } }, required: [`p${at}`] })),
      },
    },
  }),
  "many choices at the root": (size) => ({
    type: "object",
    oneOf: times(15 * size, (at) => ({ properties: named(8, (place) => ({ const: `${at} ${place}` })) })),
  }),
  "many values": (size) => ({ type: "object", properties: { x: { enum: times(60 * size, (at) => `v${at}`) } } }),
  "many required": (size) => ({ type: "object", required: times(60 * size, (at) => `p${at}`) }),
};

const DEEP = times(20, () => 0).reduce<JsonObject>((inner) => ({ x: inner, y: null, p0: null }), { x: null });
const ARGUMENTS: readonly JsonObject[] = [{ x: null, y: null }, { x: "12" }, { x: times(50, () => "{}") }, DEEP];

/** A refusal ends the walk as well. */
function refusing(walk: () => unknown): void {
  try {
    walk();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
  }
}

/** All code that walks through the schemas of servers and definitions. */
const WALKS: Readonly<Record<string, (schema: JsonObject) => unknown>> = {
  "lenient form": lenientSchema,
  "bounded form": boundedSchema,
  "OpenAPI form": (schema) => refusing(() => convertJsonSchemaToOpenApiSchema(schema)),
  "form of an OpenAPI schema": convertOpenApiSchemaToJsonSchema,
  "closed forms": (schema) => [isClosed(schema), isStrict(schema)],
  "arguments of the demo model": (schema) => deriveArgumentSets(schema, "Rome 12"),
  "nulls of arguments": (schema) => ARGUMENTS.map((args) => withoutOptionalNulls(args, schema)),
  "checks of arguments": (schema) => Promise.all(ARGUMENTS.map((args) => checkArguments(toSchema(schema), args))),
  ...Object.fromEntries(
    (["gemini", "vertex", "claude", "openai", "openai-compatible"] as const).map((kind) => [
      `form for ${kind}`,
      (schema: JsonObject) => {
        const { parameters, output } = providerRules(kind, "model");
        const forms = [
          argumentsForm(schema, parameters),
          (output.root === "object" ? objectForm : typedForm)(schema, output),
        ];
        return forms.map((form) => form.fromWire(form.toWire(DEEP)));
      },
    ]),
  ),
};

describe("the time for schemas of others grows no faster than their text:", { timeout: 120_000 }, () => {
  it.each(Object.entries(WALKS))("%s", async (_, walk) => {
    verifies("peers:schemas:linear");
    const slow: string[] = [];
    for (const [name, make] of Object.entries(SCHEMAS)) {
      const growth = await cpuGrowth((size) => walk(make(size)), LEAST, FACTOR);
      if (growth > MAX_GROWTH) slow.push(`${name}: ${growth.toFixed(0)} times`);
    }
    expect(slow).toEqual([]);
  });
});
