import type * as TypeBox from "typebox";

type Schema = Readonly<Record<string, unknown>>;
type Builders = Pick<
  typeof TypeBox.Type,
  | ("Array" | "Boolean" | "Enum" | "Integer" | "Literal" | "Null" | "Number" | "Object" | "Optional" | "Record")
  | ("String" | "Union" | "Unknown")
>;

/** Markers that TypeBox's own functions look for. They are not part of the JSON Schema. */
const KIND = "~kind";
const OPTIONAL = "~optional";

/**
 * The TypeBox builders that settings and routes use, with TypeBox's types and results. Loading TypeBox itself costs
 * each process about 85 ms of CPU at its start.
 */
// Each function returns what TypeBox's function of the same name returns, which a test compares; the types are computed
// from the arguments alone.
export const Type = {
  Array: (items: Schema, options?: Schema) => schema("Array", { type: "array", items, ...options }),
  Boolean: (options?: Schema) => schema("Boolean", { type: "boolean", ...options }),
  Enum: (values: readonly string[], options?: Schema) => schema("Enum", { enum: values, ...options }),
  Integer: (options?: Schema) => schema("Integer", { type: "integer", ...options }),
  Literal: (value: unknown, options?: Schema) => schema("Literal", { type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => schema("Null", { type: "null", ...options }),
  Number: (options?: Schema) => schema("Number", { type: "number", ...options }),
  Object: (properties: Readonly<Record<string, Schema>>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
    return schema("Object", { type: "object", ...(required.length > 0 && { required }), properties, ...options });
  },
  Optional: (of: Schema) => hidden(schema(of[KIND], { ...of }), OPTIONAL, true),
  Record: (_key: Schema, value: Schema, options?: Schema) =>
    schema("Record", { type: "object", patternProperties: { "^.*$": value }, ...options }),
  String: (options?: Schema) => schema("String", { type: "string", ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => schema("Union", { anyOf, ...options }),
  Unknown: (options?: Schema) => schema("Unknown", { ...options }),
} as unknown as Builders;

function schema(kind: unknown, members: Schema): Schema {
  return hidden({ ...members }, KIND, kind);
}

function hidden(target: Schema, name: string, value: unknown): Schema {
  return Object.defineProperty(target, name, { value, enumerable: false, writable: true, configurable: true });
}
