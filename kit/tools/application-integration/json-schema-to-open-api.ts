import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { localTarget } from "#kit/schema/local-target.ts";

/** Keywords with the same name and meaning in OpenAPI 3.0. */
const KEPT = [
  "title",
  "description",
  "format",
  "default",
  "enum",
  "required",
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "readOnly",
  "writeOnly",
  "deprecated",
] as const;

// References are replaced by their targets, and can refer to each other so that the result grows without bound.
const MAX_SCHEMAS = 10_000;

/**
 * Converts a JSON Schema to a schema object of OpenAPI 3.0, which has one type, `nullable`, and no references into the
 * schema itself: those are replaced by their targets, and a recursive one becomes any value. Keywords without an
 * equivalent are left out. Throws `INVALID_FIELD` for a schema that becomes too large.
 */
export function convertJsonSchemaToOpenApiSchema(jsonSchema: JsonObject): JsonObject {
  return new Conversion(jsonSchema).schema(jsonSchema);
}

class Conversion {
  readonly #root: JsonObject;
  /** The references that are being replaced, from the outside in. */
  readonly #within: string[] = [];
  #schemas = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  schema(schema: JsonValue | undefined): JsonObject {
    this.#schemas += 1;
    if (this.#schemas > MAX_SCHEMAS)
      throw new PlatformError(
        "INVALID_FIELD",
        `The schema has over ${MAX_SCHEMAS} parts when its references are written out.`,
      );
    if (schema === false) return { not: {} };
    if (!isJsonObject(schema)) return {};
    const reference = schema["$ref"];
    return typeof reference === "string" ? this.#referred(reference, schema) : this.#converted(schema);
  }

  /** Keywords next to a reference apply too; a description there takes precedence. */
  #referred(reference: string, { $ref: _, ...beside }: JsonObject): JsonObject {
    if (this.#within.includes(reference)) return this.#converted(beside);
    this.#within.push(reference);
    const target = this.schema(localTarget(this.#root, reference));
    this.#within.pop();
    return { ...target, ...this.#converted(beside) };
  }

  #converted(schema: JsonObject): JsonObject {
    return present({
      ...this.#typeOf(schema),
      ...Object.fromEntries(KEPT.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]]))),
      enum: schema["const"] === undefined ? undefined : [schema["const"]],
      example: Array.isArray(schema["examples"]) && schema["examples"].length > 0 ? schema["examples"][0] : undefined,
      ...exclusive(schema, "exclusiveMinimum", "minimum"),
      ...exclusive(schema, "exclusiveMaximum", "maximum"),
      ...this.#insides(schema),
      ...this.#alternatives(schema, "anyOf"),
      ...this.#alternatives(schema, "oneOf"),
      allOf: Array.isArray(schema["allOf"]) ? schema["allOf"].map((part) => this.schema(part)) : undefined,
      not: schema["not"] === undefined ? undefined : this.schema(schema["not"]),
    });
  }

  #typeOf({ type }: JsonObject): JsonObject {
    if (typeof type === "string") return type === "null" ? { nullable: true } : { type };
    if (!Array.isArray(type)) return {};
    const [first, ...others] = type.filter((name) => name !== "null");
    const nullable = type.includes("null") && { nullable: true };
    if (first === undefined) return { ...nullable };
    if (others.length === 0) return { type: first, ...nullable };
    return { anyOf: [first, ...others].map((name) => ({ type: name })), ...nullable };
  }

  #insides({ properties, items, prefixItems, additionalProperties }: JsonObject): JsonObject {
    const list = Array.isArray(prefixItems) ? prefixItems : items;
    return present({
      ...(isJsonObject(properties) && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, this.schema(value)])),
      }),
      items: Array.isArray(list) && list.length > 0 ? { anyOf: list.map((item) => this.schema(item)) } : undefined,
      ...(isJsonObject(list) && { items: this.schema(list) }),
      additionalProperties: typeof additionalProperties === "boolean" ? additionalProperties : undefined,
      ...(isJsonObject(additionalProperties) && { additionalProperties: this.schema(additionalProperties) }),
    });
  }

  /**
   * One of the alternatives may be null, which OpenAPI expresses with `nullable`; a single remaining one needs no list.
   */
  #alternatives(schema: JsonObject, key: "anyOf" | "oneOf"): JsonObject {
    const given = schema[key];
    if (!Array.isArray(given)) return {};
    const others = given.filter((option) => !isNull(option)).map((option) => this.schema(option));
    const nullable = others.length < given.length && { nullable: true };
    const [first] = others;
    if (others.length === 1 && first !== undefined && schema["type"] === undefined) return { ...first, ...nullable };
    return { ...(others.length > 0 && { [key]: others }), ...nullable };
  }
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema["type"] === "null";
}

/** In JSON Schema the exclusive bound is a number; in OpenAPI 3.0 it is the bound with a flag. */
function exclusive(schema: JsonObject, key: string, bound: "minimum" | "maximum"): JsonObject {
  const value = schema[key];
  if (typeof value === "boolean") return { [key]: value };
  return typeof value === "number" ? { [bound]: value, [key]: true } : {};
}
