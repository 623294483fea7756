import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

const TYPES = new Set(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"]);
/** Limits that the Gemini API's form of a schema writes as texts. */
const LIMITS = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

/** Whether the schema has the Gemini API's form, whose names of types are in upper case. */
export function isOpenApiSchema({ type, anyOf }: JsonObject): boolean {
  if (typeof type === "string") return TYPES.has(type);
  return Array.isArray(anyOf) && anyOf.some((option) => isJsonObject(option) && isOpenApiSchema(option));
}

/** The same schema as JSON Schema: types in lower case, limits as numbers, `nullable` as a type. */
export function convertOpenApiSchemaToJsonSchema(schema: JsonObject): JsonObject {
  const converted: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "nullable" || key === "propertyOrdering") continue;
    converted[key] = convertMember(key, value, schema["nullable"] === true);
  }
  return converted;
}

function convertMember(key: string, value: JsonValue, isNullable: boolean): JsonValue {
  if (key === "type" && typeof value === "string")
    return isNullable ? [value.toLowerCase(), "null"] : value.toLowerCase();
  if (key === "enum" && Array.isArray(value)) return isNullable ? [...value, null] : value;
  if (LIMITS.has(key) && typeof value === "string") return Number(value);
  if (key === "anyOf" && Array.isArray(value)) {
    const options = value.map((option) => (isJsonObject(option) ? convertOpenApiSchemaToJsonSchema(option) : option));
    return isNullable ? [...options, { type: "null" }] : options;
  }
  if (key === "items" && isJsonObject(value)) return convertOpenApiSchemaToJsonSchema(value);
  if (key !== "properties" || !isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => [
      name,
      isJsonObject(property) ? convertOpenApiSchemaToJsonSchema(property) : property,
    ]),
  );
}
