import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { assertLinearPatterns } from "#kit/schema/schema-patterns.ts";
import type { OpenApiDocument } from "./open-api-document.ts";

/** Keywords that are copied as they are. */
const KEPT = [
  ...["title", "format", "default", "enum", "const", "minLength", "maxLength", "multipleOf", "minItems", "maxItems"],
  ...["uniqueItems", "minProperties", "maxProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
] as const;
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
// References that are written out can grow a small document without bound.
const MAX_CHARACTERS = 100_000;
const MAX_DESCRIPTION_CHARACTERS = 2000;
const MAX_DEPTH = 30;

/**
 * Schemas of one operation as JSON Schema without references. A recursive schema becomes any value where it recurs, and
 * so does what exceeds the operation's 100,000 characters, names included. Patterns that need backtracking are left out.
 */
export class SchemaExpansion {
  readonly #document: OpenApiDocument;
  readonly #within: string[] = [];
  #characters = 0;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  expand(schema: JsonValue | undefined, depth = 0): JsonObject {
    this.#characters += 20;
    if (this.#characters > MAX_CHARACTERS || depth > MAX_DEPTH || !isJsonObject(schema)) return {};
    const reference = schema["$ref"];
    if (typeof reference !== "string") return this.#converted(schema, depth);
    if (this.#within.includes(reference)) return {};
    this.#within.push(reference);
    const target = this.expand(this.#document.target(reference), depth + 1);
    this.#within.pop();
    return { ...target, ...this.#description(schema) };
  }

  #converted(schema: JsonObject, depth: number): JsonObject {
    const inner = (value: JsonValue | undefined): JsonObject => this.expand(value, depth + 1);
    const { properties, items, required, patternProperties } = schema;
    // Members that a pattern names are not declared, so others have to be possible.
    const additionalProperties = patternProperties === undefined ? schema["additionalProperties"] : undefined;
    const converted: JsonObject = present({
      ...this.#typeOf(schema),
      ...this.#description(schema),
      ...this.#kept(schema),
      ...(isJsonObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties)
            .filter(([name, value]) => !(isJsonObject(value) && value["readOnly"] === true) && this.#spend(name.length))
            .map(([name, value]) => [name, inner(value)]),
        ),
      }),
      required: Array.isArray(required) ? this.#requiredOf(required, properties) : undefined,
      items: isJsonObject(items) ? inner(items) : undefined,
      additionalProperties: typeof additionalProperties === "boolean" ? additionalProperties : undefined,
      ...(isJsonObject(additionalProperties) && { additionalProperties: inner(additionalProperties) }),
    });
    const combined = ["allOf", "anyOf", "oneOf"].flatMap((key): (readonly [string, JsonValue])[] => {
      const parts = schema[key];
      return Array.isArray(parts) ? [[key, parts.filter(() => this.#spend(1)).map(inner)]] : [];
    });
    const whole = { ...converted, ...Object.fromEntries(combined) };
    const isUntyped = schema["nullable"] === true && schema["type"] === undefined && combined.length > 0;
    return isUntyped ? { anyOf: [whole, { type: "null" }] } : whole;
  }

  #requiredOf(required: readonly JsonValue[], properties: JsonValue | undefined): readonly string[] {
    return required.filter((name): name is string => {
      if (typeof name !== "string" || !this.#spend(name.length)) return false;
      const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return !(isJsonObject(property) && property["readOnly"] === true);
    });
  }

  #typeOf({ type, nullable }: JsonObject): JsonObject {
    const types = [...new Set(Array.isArray(type) ? type : [type])].filter((name) => TYPES.has(name));
    if (types.length === 0) return {};
    const all = nullable === true && !types.includes("null") ? [...types, "null"] : types;
    return { type: all.length === 1 && all[0] !== undefined ? all[0] : all };
  }

  /** The description, or nothing if the schema has no room for it. */
  describe(description: string | undefined): JsonObject {
    return this.#description(description === undefined ? {} : { description });
  }

  #description({ description }: JsonObject): JsonObject {
    if (typeof description !== "string" || description === "") return {};
    const text = description.slice(0, MAX_DESCRIPTION_CHARACTERS);
    return this.#spend(text.length) ? { description: text } : {};
  }

  #kept(schema: JsonObject): JsonObject {
    const { pattern } = schema;
    const entries: (readonly [string, JsonValue])[] = [];
    for (const key of KEPT) {
      const value = schema[key];
      // In OpenAPI 3.0 an exclusive bound is a flag next to the bound.
      if (value === undefined || ((key === "minimum" || key === "maximum") && schema[exclusive(key)] === true))
        continue;
      if (typeof value === "boolean" && key.startsWith("exclusive")) {
        const bound = schema[key === "exclusiveMinimum" ? "minimum" : "maximum"];
        if (value && typeof bound === "number") entries.push([key, bound]);
      } else if (this.#fits(value)) entries.push([key, key === "enum" ? withNull(value, schema) : value]);
    }
    if (typeof pattern === "string" && isLinear(pattern) && this.#spend(pattern.length))
      entries.push(["pattern", pattern]);
    return Object.fromEntries(entries);
  }

  #fits(value: JsonValue): boolean {
    return this.#characters <= MAX_CHARACTERS && this.#spend(JSON.stringify(value).length);
  }

  #spend(characters: number): boolean {
    this.#characters += characters;
    return this.#characters <= MAX_CHARACTERS;
  }
}

function exclusive(bound: "minimum" | "maximum"): string {
  return bound === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
}

/** `nullable` adds null to the values of an enumeration. */
function withNull(values: JsonValue, { nullable }: JsonObject): JsonValue {
  return Array.isArray(values) && nullable === true && !values.includes(null) ? [...values, null] : values;
}

function isLinear(pattern: string): boolean {
  try {
    assertLinearPatterns({ pattern });
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}
