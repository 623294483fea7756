import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A text of any usual format, because providers are not told all of them. */
const TEXT = "ada@example.com";

const FORMATS: Readonly<Record<string, string>> = { "date-time": "2026-01-01T00:00:00Z", date: "2026-01-01" };

/** Values that fit a schema as a provider gets it: all that its root has, and below it what is required. */
export function sampleOf(schema: JsonValue | undefined, root: JsonValue | undefined = schema): JsonValue {
  if (!isJsonObject(schema)) return TEXT;
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, ...rest } = schema;
  if (typeof $ref === "string") return sampleOf(targetOf($ref, root), root);
  if (constant !== undefined) return constant;
  if (Array.isArray(values) && values[0] !== undefined) return values[0];
  // Providers that take no such enumerations get the values in words.
  const [, listed] = /One of: (\[.*\])/.exec(String(schema["description"])) ?? [];
  if (listed !== undefined) return sampleOf({ enum: JSON.parse(listed) });
  const [choice] = [anyOf, oneOf].filter(Array.isArray);
  if (choice !== undefined || Array.isArray(allOf))
    return merged([rest, ...(choice === undefined ? [] : [choice[0]]), ...(Array.isArray(allOf) ? allOf : [])], root);
  return ofType(schema, root);
}

function ofType(schema: JsonObject, root: JsonValue | undefined): JsonValue {
  const [type = schema["properties"] === undefined ? "string" : "object"] = [schema["type"] ?? []].flat();
  switch (type) {
    case "object":
      return ofObject(schema, root);
    case "array":
      return ofArray(schema, root);
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? Number(schema["exclusiveMinimum"] ?? 0) + 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return FORMATS[String(schema["format"])] ?? TEXT;
  }
}

function ofObject({ properties, required }: JsonObject, root: JsonValue | undefined): JsonObject {
  const known = isJsonObject(properties) ? properties : {};
  const isRoot = isJsonObject(root) && root["properties"] === properties;
  const names = isRoot ? Object.keys(known) : [required ?? []].flat().map(String);
  return Object.fromEntries(names.map((name) => [name, sampleOf(known[name], root)]));
}

function ofArray({ items, prefixItems, minItems }: JsonObject, root: JsonValue | undefined): JsonValue {
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  const count = Math.max(first.length, Number(minItems ?? 1));
  return Array.from({ length: count }, (_, index) => sampleOf(first[index] ?? items, root));
}

/** The values of all parts together, if they are objects; otherwise the last one's. */
function merged(parts: readonly (JsonValue | undefined)[], root: JsonValue | undefined): JsonValue {
  const samples = parts.map((part) => sampleOf(part, root));
  return samples.every(isJsonObject) ? Object.assign({}, ...samples) : (samples.at(-1) ?? null);
}

function targetOf(reference: string, root: JsonValue | undefined): JsonValue | undefined {
  const steps = reference.split("/").slice(1);
  return steps.reduce<JsonValue | undefined>(
    (at, step) => (isJsonObject(at) ? at[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
    root,
  );
}
