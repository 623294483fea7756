import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example", "required", "type"]);
/** Keywords whose members are named by the schema's author. */
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** Keywords that combine schemas which see the members of each other. */
const COMBINING = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords that close an object to members that only another part of a combination names. */
const CLOSING = ["additionalProperties", "unevaluatedProperties"] as const;

/**
 * The schema of a server as servers themselves apply it, for checks before a request and after an answer:
 * - `format` is an annotation, as JSON Schema has it: servers write times without an offset, and relative addresses.
 * - `oneOf` is `anyOf`: the branches of most descriptions overlap.
 * - `additionalProperties: false` has no effect in a part of a combination, where no value could satisfy it.
 * - `multipleOf` with a fraction is left out: 19.99 is not a multiple of 0.01 in binary numbers.
 */
export function lenientSchema(schema: JsonObject): JsonObject {
  return lenient(schema, false);
}

function lenient(schema: JsonObject, isPart: boolean): JsonObject {
  const { format: _, oneOf, multipleOf, ...rest } = schema;
  const isCombined = isPart || COMBINING.some((key) => Array.isArray(schema[key])) || schema["$ref"] !== undefined;
  const kept = Object.entries(rest).filter(
    ([key, value]) => !(isCombined && value === false && CLOSING.some((closing) => closing === key)),
  );
  const own: JsonObject = Object.fromEntries(kept.map(([key, value]) => [key, inside(key, value)]));
  const whole = {
    ...own,
    ...(typeof multipleOf === "number" && Number.isInteger(multipleOf) && { multipleOf }),
  };
  if (!Array.isArray(oneOf)) return whole;
  const anyOf = inside("anyOf", oneOf);
  if (own["anyOf"] === undefined) return { ...whole, anyOf };
  const { allOf } = own;
  return { ...whole, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf }] };
}

function inside(key: string, value: JsonValue): JsonValue {
  if (DATA.has(key)) return value;
  if (NAMED.has(key) && isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isJsonObject(one) ? lenient(one, false) : one]),
    );
  const isPart = COMBINING.some((combining) => combining === key);
  if (Array.isArray(value)) return value.map((one) => (isJsonObject(one) ? lenient(one, isPart) : one));
  return isJsonObject(value) ? lenient(value, false) : value;
}
