import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { localTarget } from "#kit/schema/local-target.ts";

/** Keywords with one schema, a list of schemas, and schemas by name. */
export const ONE: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
export const SEVERAL: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
export const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"]);

/** The schema with each of its direct subschemas replaced. */
export function mapSubschemas(schema: JsonObject, change: (subschema: JsonObject) => JsonObject): JsonObject {
  const one = (value: JsonValue): JsonValue => (isJsonObject(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, JsonValue] => {
      if (ONE.has(key)) return [key, one(value)];
      if (SEVERAL.has(key) && Array.isArray(value)) return [key, value.map(one)];
      if (!NAMED.has(key) || !isJsonObject(value)) return [key, value];
      return [key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, one(member)]))];
    }),
  );
}

/** The schema and all schemas within it. */
export function* allSchemas(schema: JsonObject): Iterable<JsonObject> {
  yield schema;
  const found: JsonObject[] = [];
  mapSubschemas(schema, (subschema) => {
    found.push(subschema);
    return subschema;
  });
  for (const subschema of found) yield* allSchemas(subschema);
}

/** The schemas of a keyword with a list of them. */
export function schemasOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The names in a list of texts. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === "string") : [];
}

export function propertiesOf({ properties }: JsonObject): Readonly<Record<string, JsonObject>> {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])),
  );
}

/** The schema with a sentence more in its description. */
export function withNote(schema: JsonObject, note: string): JsonObject {
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description} ${note}` : note,
  };
}

/** The schema that a reference leads to; undefined if there is none. */
export function targetOf(root: JsonObject, reference: JsonValue | undefined): JsonObject | undefined {
  const target = localTarget(root, reference);
  return isJsonObject(target) ? target : undefined;
}
