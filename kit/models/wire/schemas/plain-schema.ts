import { fingerprint } from "#kit/models/fingerprint.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { NAMED, ONE, SEVERAL, targetOf, textsOf, withNote } from "./subschemas.ts";

const TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
/** Keywords whose value has to be a number for the schema to be valid. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
  ...["minLength", "maxLength", "minProperties", "maxProperties", "minContains", "maxContains"],
]);
const TEXTS: ReadonlySet<string> = new Set(["title", "description", "format", "pattern"]);
/** OpenAI takes so many; a longer list is left out before it costs time, and the tool checks the value. */
const MAX_ENUM_VALUES = 1000;
const REPEATS = "The same form again, as deep as needed.";

interface PlainOptions {
  /** References to definitions are kept. */
  readonly references: boolean;
  /** Keywords that are taken. Without `allOf` its parts are joined, so that references to them are written out. */
  readonly keywords: ReadonlySet<string>;
  readonly maxDepth: number;
  readonly maxCharacters: number;
}

/**
 * A schema of any author as valid JSON Schema 2020-12 without surprises: forms of older drafts and of OpenAPI are
 * rewritten, references lead to `$defs` only or are written out, and what exceeds the limits accepts any value.
 */
export function plainSchema(source: JsonObject, options: PlainOptions): JsonObject {
  // A schema that is too large ends at a smaller depth, so that its first levels are complete.
  for (let maxDepth = options.maxDepth; ; maxDepth = Math.floor(maxDepth / 2)) {
    const schema = new PlainForm(source, { ...options, maxDepth }).root();
    if (schema !== undefined) return schema;
    if (maxDepth <= 1) return { type: "object" };
  }
}

class PlainForm {
  readonly #root: JsonObject;
  readonly #options: PlainOptions;
  /** Definitions in use, by their name in the result. */
  readonly #definitions = new Map<string, JsonObject | undefined>();
  readonly #within: JsonObject[] = [];
  #characters = 0;

  constructor(root: JsonObject, options: PlainOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Undefined if the schema has more characters than it may. */
  root(): JsonObject | undefined {
    const schema = this.#schema(this.#root, 0);
    if (this.#characters > this.#options.maxCharacters) return undefined;
    const definitions = [...this.#definitions].map(([name, definition]): [string, JsonObject] => [
      name,
      definition ?? {},
    ]);
    return definitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) };
  }

  #schema(source: JsonValue | undefined, depth: number, isJoined = false): JsonObject {
    this.#characters += 2;
    if (!isJsonObject(source)) return source === false ? { not: {} } : {};
    if (depth > this.#options.maxDepth || this.#characters > this.#options.maxCharacters) return this.#shallow(source);
    const { $ref: reference, ...own } = source;
    if (reference === undefined) return this.#members(source, depth);
    const siblings = this.#members(own, depth);
    const target = targetOf(this.#root, reference);
    if (target === undefined || typeof reference !== "string") return siblings;
    const isKept = depth > 0 && !isJoined && this.#options.references;
    if (isKept && /^#\/(\$defs|definitions)\/[^/]+$/.test(reference))
      return { ...siblings, $ref: `#/$defs/${this.#define(reference, target)}` };
    // Written out twice, so that the model sees how the form repeats.
    const repetitions = this.#within.filter((outer) => outer === target).length;
    if (repetitions >= (depth > 0 ? 2 : 1)) return withNote({ ...this.#shallow(target), ...siblings }, REPEATS);
    this.#within.push(target);
    const written = this.#schema(target, depth + 1);
    this.#within.pop();
    return joined(written, siblings);
  }

  #define(reference: string, target: JsonObject): string {
    const own = reference.slice(reference.lastIndexOf("/") + 1);
    const name = /^[\w.-]+$/.test(own) ? own : `${own.replaceAll(/[^\w.-]/g, "_")}_${fingerprint(own)}`;
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, undefined);
      this.#definitions.set(name, this.#schema(target, 1));
    }
    return name;
  }

  /** The type alone: any value of it. */
  #shallow(source: JsonObject): JsonObject {
    const { type, description } = this.#members(
      { type: source["type"] ?? {}, description: source["description"] ?? {} },
      0,
    );
    return present({ type, description });
  }

  #members(source: JsonObject, depth: number): JsonObject {
    const members: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(modern(source))) {
      const plain = this.#member(key, value, depth);
      if (plain === undefined) continue;
      this.#characters += key.length + (typeof plain === "string" ? plain.length : 2);
      members[key] = plain;
    }
    return members;
  }

  #member(key: string, value: JsonValue, depth: number): JsonValue | undefined {
    if (key === "$defs") return undefined;
    if (ONE.has(key)) {
      if (typeof value === "boolean") return key === "items" || key === "not" ? undefined : value;
      return isJsonObject(value) ? this.#schema(value, depth + 1) : undefined;
    }
    if (SEVERAL.has(key)) {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      const isJoined = key === "allOf" && !this.#options.keywords.has(key);
      return value.map((item) => this.#schema(item, depth + 1, isJoined));
    }
    if (NAMED.has(key)) {
      if (!isJsonObject(value)) return undefined;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => {
          this.#characters += name.length;
          return [name, this.#schema(member, depth + 1)];
        }),
      );
    }
    const plain = valueOf(key, value);
    if (typeof plain === "object") this.#characters += JSON.stringify(plain).length;
    return plain;
  }
}

/** The value of a keyword without subschemas; undefined if it is invalid there. */
function valueOf(key: string, value: JsonValue): JsonValue | undefined {
  if (key === "type") return typeOf(value);
  if (key === "required") return Array.isArray(value) ? [...new Set(textsOf(value))] : undefined;
  if (key === "enum") return isEnum(value) ? distinct(value) : undefined;
  if (NUMBERS.has(key)) return typeof value === "number" ? value : undefined;
  if (TEXTS.has(key)) return typeof value === "string" ? value : undefined;
  if (key === "uniqueItems") return typeof value === "boolean" ? value : undefined;
  return value;
}

function typeOf(value: JsonValue): JsonValue | undefined {
  const types = [value].flat().flatMap((name) => (typeof name === "string" ? [name.toLowerCase()] : []));
  const known = [...new Set(types)].filter((name) => TYPES.has(name));
  return known.length < 2 ? known[0] : known;
}

function isEnum(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_ENUM_VALUES;
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The members in the form of 2020-12, from those of older drafts, of OpenAPI 3.0 and of the Gemini API. */
function modern(source: JsonObject): JsonObject {
  const { nullable, ...members }: Record<string, JsonValue> = { ...source };
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const flag = members[exclusive];
    const limit = members[bound];
    if (typeof flag !== "boolean") continue;
    delete members[exclusive];
    if (flag && typeof limit === "number") {
      members[exclusive] = limit;
      delete members[bound];
    }
  }
  if (Array.isArray(members["items"])) {
    const { items, additionalItems, ...rest } = members;
    return modern(
      present({ ...rest, prefixItems: items, items: isJsonObject(additionalItems) ? additionalItems : undefined }),
    );
  }
  for (const key of NUMBERS) if (typeof members[key] === "string") members[key] = Number(members[key]);
  if (nullable !== true) return members;
  const { type, anyOf, enum: values } = members;
  if (type !== undefined) members["type"] = [type, "null"].flat();
  else if (Array.isArray(anyOf)) members["anyOf"] = [...anyOf, { type: "null" }];
  if (Array.isArray(values) && !values.includes(null)) members["enum"] = [...values, null];
  return members;
}

/** A target with the members beside its reference, which win where they describe. */
function joined(target: JsonObject, siblings: JsonObject): JsonObject {
  const both = { ...target, ...siblings };
  const { properties, required } = target;
  if (isJsonObject(properties) && isJsonObject(siblings["properties"]))
    both["properties"] = { ...properties, ...siblings["properties"] };
  if (Array.isArray(required) && Array.isArray(siblings["required"]))
    both["required"] = [...new Set([...textsOf(required), ...textsOf(siblings["required"])])];
  return both;
}
