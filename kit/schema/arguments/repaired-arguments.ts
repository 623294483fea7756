import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { localTarget } from "../local-target.ts";
import type { Schema, SchemaCheck } from "../schema.ts";

/** Schemas that apply to one value: all parts of combinations, with references followed. */
type Facets = readonly JsonObject[];

const MAX_FACETS = 200;
const MAX_DEPTH = 30;
const MAX_JSON_CHARACTERS = 100_000;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,20})?$/;

/**
 * Checks the arguments of a call. Arguments that do not fit are read again as models mean them, and are used in this
 * form if it fits: null for a member that is not required is not a member, a text spells the number, the truth, the
 * object or the list that the schema has, a number spells the text, one value is the list of it, and the case of a
 * value of an enumeration is ignored.
 */
export function checkArguments(schema: Schema, args: JsonValue): SchemaCheck | Promise<SchemaCheck> {
  const first = schema.check(args);
  return first instanceof Promise
    ? first.then((checked) => secondCheck(schema, args, checked))
    : secondCheck(schema, args, first);
}

function secondCheck(schema: Schema, args: JsonValue, first: SchemaCheck): SchemaCheck | Promise<SchemaCheck> {
  if (first.ok) return first;
  const repaired = repairedArguments(args, schema.jsonSchema);
  return repaired === args ? first : schema.check(repaired);
}

/** The same value if nothing is to be changed. */
export function repairedArguments(args: JsonValue, schema: JsonObject): JsonValue {
  return new Repair(schema, true).value(args, [schema]);
}

/** Leaves out null where a member is not required and its schema has no null; for servers that check for themselves. */
export function withoutOptionalNulls(args: JsonObject, schema: JsonObject): JsonObject {
  const left = new Repair(schema, false).value(args, [schema]);
  return isJsonObject(left) ? left : args;
}

class Repair {
  readonly #root: JsonObject;
  readonly #converts: boolean;
  readonly #nullable = new Map<JsonObject, boolean>();

  constructor(root: JsonObject, converts: boolean) {
    this.#root = root;
    this.#converts = converts;
  }

  value(value: JsonValue, schemas: readonly JsonValue[], depth = 0): JsonValue {
    if (depth > MAX_DEPTH) return value;
    const facets = this.#facets(schemas);
    if (facets.length === 0) return value;
    if (Array.isArray(value)) return this.#list(value, facets, depth);
    if (isJsonObject(value)) return this.#members(value, facets, depth);
    const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    if (!this.#converts || !isScalar) return value;
    const converted = convert(value, facets);
    return typeof converted === "object" ? this.value(converted, schemas, depth + 1) : converted;
  }

  #list(values: readonly JsonValue[], facets: Facets, depth: number): JsonValue {
    const items = facets.flatMap(({ items: one }) => (isJsonObject(one) ? [one] : []));
    const repaired = values.map((value, index) => {
      const own = facets.flatMap(({ prefixItems }) => (Array.isArray(prefixItems) ? (prefixItems[index] ?? []) : []));
      return this.value(value, own.length > 0 ? own : items, depth + 1);
    });
    return repaired.every((value, index) => value === values[index]) ? values : repaired;
  }

  #members(value: JsonObject, facets: Facets, depth: number): JsonValue {
    const entries = Object.entries(value);
    const kept = entries.flatMap(([name, member]): readonly (readonly [string, JsonValue])[] => {
      const own = facets.flatMap(({ properties }) =>
        isJsonObject(properties) && Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
      );
      const others = facets.flatMap(({ additionalProperties }) => additionalProperties ?? []);
      if (member === null) return this.#isNothing(name, facets, own.length > 0 ? own : others) ? [] : [[name, member]];
      return [[name, this.value(member, own.length > 0 ? own : others.filter(isJsonObject), depth + 1)]];
    });
    const isSame = kept.length === entries.length && kept.every(([, member], index) => member === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(kept);
  }

  /** Whether null stands for no member: it is not required, and no schema of the member has null. */
  #isNothing(name: string, facets: Facets, schemas: readonly JsonValue[]): boolean {
    const isRequired = facets.some(({ required }) => Array.isArray(required) && required.includes(name));
    return !isRequired && schemas.length > 0 && !schemas.some((schema) => this.#acceptsNull(schema, 0));
  }

  /** Looks at each schema once: one that refers to itself accepts null unless something else in it does not. */
  #acceptsNull(schema: JsonValue, depth: number): boolean {
    if (!isJsonObject(schema)) return schema !== false;
    if (depth > MAX_DEPTH) return true;
    const known = this.#nullable.get(schema);
    if (known !== undefined) return known;
    this.#nullable.set(schema, true);
    const accepts = this.#hasNull(schema, depth + 1);
    this.#nullable.set(schema, accepts);
    return accepts;
  }

  #hasNull(
    { type, nullable, enum: values, anyOf, oneOf, allOf, $ref, const: only }: JsonObject,
    depth: number,
  ): boolean {
    if (nullable === true || only === null) return true;
    if (typeof $ref === "string") return this.#acceptsNull(localTarget(this.#root, $ref) ?? true, depth);
    if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
    if (Array.isArray(values)) return values.includes(null);
    if (Array.isArray(allOf)) return allOf.every((one) => this.#acceptsNull(one, depth));
    const choice = [anyOf, oneOf].find((list) => Array.isArray(list));
    return choice === undefined ? only === undefined : choice.some((one) => this.#acceptsNull(one, depth));
  }

  #facets(schemas: readonly JsonValue[]): Facets {
    const open = [...schemas];
    const facets = new Set<JsonObject>();
    for (let at = 0; at < open.length && facets.size < MAX_FACETS; at += 1) {
      const schema = open[at];
      if (!isJsonObject(schema) || facets.has(schema)) continue;
      facets.add(schema);
      const { $ref: reference } = schema;
      if (typeof reference === "string") open.push(localTarget(this.#root, reference) ?? {});
      for (const key of ["allOf", "anyOf", "oneOf"]) {
        const parts = schema[key];
        if (Array.isArray(parts)) open.push(...parts);
      }
    }
    return [...facets];
  }
}

/** The text, number or truth in the type that the schemas have, if they do not have its own. */
function convert(value: string | number | boolean, facets: Facets): JsonValue {
  const types = typesOf(facets);
  if (typeof value === "string") {
    const choice = choiceOf(value, facets);
    if (choice !== undefined) return choice;
  }
  if (types === undefined || types.has(typeof value)) return value;
  if (typeof value !== "string") {
    if (types.size === 1 && types.has("array")) return [value];
    return types.has("string") ? String(value) : value;
  }
  if ((types.has("number") || types.has("integer")) && NUMBER.test(value)) return Number(value);
  if (types.has("boolean") && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
  if (types.size === 1 && types.has("array") && !value.startsWith("[")) return [value];
  const isComposed = (types.has("object") && value.startsWith("{")) || (types.has("array") && value.startsWith("["));
  return isComposed && value.length <= MAX_JSON_CHARACTERS ? parsed(value) : value;
}

/** The types of all schemas; undefined if one of them has any. */
function typesOf(facets: Facets): ReadonlySet<unknown> | undefined {
  const types = new Set<unknown>();
  for (const { type, enum: values, const: only, anyOf, oneOf, allOf, $ref } of facets) {
    if (type !== undefined) for (const one of Array.isArray(type) ? type : [type]) types.add(one);
    else if (Array.isArray(values)) for (const one of values) types.add(typeof one);
    else if (only !== undefined) types.add(typeof only);
    else if (anyOf === undefined && oneOf === undefined && allOf === undefined && $ref === undefined) return undefined;
  }
  // A whole number is of both types.
  if (types.has("integer")) types.add("number");
  return types;
}

/** The one value of an enumeration that differs in its case alone. */
function choiceOf(text: string, facets: Facets): string | undefined {
  const choices = facets.flatMap(({ enum: values }) => (Array.isArray(values) ? values : []));
  if (choices.includes(text)) return undefined;
  const found = choices.filter((one) => typeof one === "string" && one.toLowerCase() === text.toLowerCase());
  const [choice] = found;
  return new Set(found).size === 1 && typeof choice === "string" ? choice : undefined;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON: the check reports it.
    return text;
  }
}
