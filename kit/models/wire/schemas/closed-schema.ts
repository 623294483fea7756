import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { allSchemas, propertiesOf, textsOf } from "./subschemas.ts";

/** Whether a grammar can be made of the schema: each value has a type, and each object lists its members. */
export function isClosed(schema: JsonObject): boolean {
  for (const part of allSchemas(schema)) {
    const { type, anyOf, enum: values, const: value, $ref, properties, additionalProperties, items } = part;
    if ([type, anyOf, values, value, $ref].every((keyword) => keyword === undefined)) return false;
    const types = [type ?? []].flat();
    if (types.includes("array") && items === undefined) return false;
    if (isJsonObject(additionalProperties) || additionalProperties === true) return false;
    if (types.includes("object") && properties === undefined && additionalProperties !== false) return false;
  }
  return true;
}

/** Whether OpenAI's strict mode takes the schema: objects are closed as well, and all their members are required. */
export function isStrict(schema: JsonObject): boolean {
  if (!isClosed(schema)) return false;
  for (const part of allSchemas(schema)) {
    if (![part["type"] ?? []].flat().includes("object")) continue;
    const required: readonly JsonValue[] = textsOf(part["required"]);
    if (part["additionalProperties"] !== false || !Array.isArray(part["required"])) return false;
    if (!Object.keys(propertiesOf(part)).every((name) => required.includes(name))) return false;
  }
  return true;
}
