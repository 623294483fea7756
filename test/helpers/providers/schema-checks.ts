import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/**
 * Each schema within a schema, with its path. Written for itself: the checks must not share the faults of what they
 * check.
 */
function* schemasIn(schema: JsonValue | undefined, path = "schema"): Iterable<readonly [JsonObject, string]> {
  if (!isJsonObject(schema)) return;
  yield [schema, path];
  for (const [key, value] of Object.entries(schema)) {
    const where = `${path}.${key}`;
    if (/^(items|additionalProperties|not|if|then|else|contains|propertyNames)$/.test(key))
      yield* schemasIn(value, where);
    if (/^(anyOf|oneOf|allOf|prefixItems)$/.test(key) && Array.isArray(value))
      for (const [index, item] of value.entries()) yield* schemasIn(item, `${where}[${index}]`);
    if (/^(properties|patternProperties|\$defs|dependentSchemas)$/.test(key) && isJsonObject(value))
      for (const [name, item] of Object.entries(value)) yield* schemasIn(item, `${where}.${name}`);
  }
}

const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false });

/**
 * Why it is not JSON Schema 2020-12, or which references and patterns lead nowhere. Compiling would take a hundred
 * times longer.
 */
function invalid(schema: JsonObject): string[] {
  const draft = schema["$schema"] ?? DRAFT;
  if (draft !== DRAFT) return [`$schema: ${String(draft)}`];
  if (!ajv.validate(DRAFT, schema)) return [`is not JSON Schema 2020-12: ${ajv.errorsText(ajv.errors)}`];
  return [...schemasIn(schema)].flatMap(([{ $ref, pattern, patternProperties }, path]) => [
    ...(typeof $ref === "string" && !leadsSomewhere($ref, schema) ? [`${path}: can't resolve reference ${$ref}`] : []),
    ...[pattern ?? [], isJsonObject(patternProperties) ? Object.keys(patternProperties) : []]
      .flat()
      .flatMap((text) => (isPattern(String(text)) ? [] : [`${path}: invalid regular expression ${text}`])),
  ]);
}

function leadsSomewhere(reference: string, schema: JsonObject): boolean {
  const [base, ...steps] = reference.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = steps.reduce<JsonValue | undefined>(
    (at, step) => (isJsonObject(at) || Array.isArray(at) ? Object(at)[decodeURIComponent(step)] : undefined),
    schema,
  );
  return base === "#" && (isJsonObject(target) || typeof target === "boolean");
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u").test("") || true;
  } catch {
    return false;
  }
}

function badNames(schema: JsonObject, pattern: RegExp): string[] {
  return [...schemasIn(schema)].flatMap(([{ properties }, path]) =>
    isJsonObject(properties)
      ? Object.keys(properties)
          .filter((name) => !pattern.test(name))
          .map((name) => `${path}: property keys should match ${pattern}: ${name}`)
      : [],
  );
}

/** Why Anthropic's API would refuse a tool's `input_schema`. */
export function claudeSchemaFaults(schema: JsonObject): string[] {
  const unions = ["oneOf", "anyOf", "allOf"].filter((key) => key in schema);
  return [
    ...(schema["type"] === "object" ? [] : ["input_schema.type: Input should be 'object'"]),
    ...unions.map((key) => `input_schema does not support oneOf, allOf, or anyOf at the top level (${key})`),
    ...badNames(schema, /^[a-zA-Z0-9_.-]{1,64}$/),
    ...invalid(schema),
  ];
}

/** Why OpenAI's API would refuse a function's `parameters`. */
export function openAiSchemaFaults(schema: JsonObject): string[] {
  const roots = ["oneOf", "anyOf", "allOf", "enum", "not"].filter((key) => key in schema);
  return [
    ...(schema["type"] === "object" ? [] : [`schema must be a JSON Schema of 'type: "object"'`]),
    ...(isJsonObject(schema["properties"]) ? [] : ["object schema missing properties"]),
    ...roots.map((key) => `schema must not have '${key}' at the top level`),
    ...[...schemasIn(schema)].flatMap(([part, path]) => [
      ...([part["type"]].flat().includes("array") && !("items" in part) ? [`${path}: array schema missing items`] : []),
      ...(typeof part["pattern"] === "string" && /\\[pP]\{|\(\?</.test(part["pattern"])
        ? [`${path}: not a 'regex'`]
        : []),
    ]),
    ...invalid(schema),
  ];
}

const GEMINI_KEYWORDS = new Set([
  ...["type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum"],
  ...["maximum", "anyOf", "properties", "additionalProperties", "required", "$ref", "$defs", "propertyOrdering"],
]);

/** Why the Gemini API would refuse the JSON Schema of a function or of an answer. */
export function geminiSchemaFaults(schema: JsonObject): string[] {
  return [
    ...badNames(schema, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/),
    ...[...schemasIn(schema)].flatMap(([part, path]) => geminiPartFaults(part).map((fault) => `${path}: ${fault}`)),
    ...(JSON.stringify(schema).length > 200_000 ? ["the schema is too large"] : []),
  ];
}

function geminiPartFaults(part: JsonObject): string[] {
  const { type, enum: values, anyOf, required, properties, format, items } = part;
  const keys = Object.keys(part).filter((key) => !key.startsWith("$"));
  const declared = isJsonObject(properties) ? Object.keys(properties) : [];
  return [
    ...keys.filter((key) => !GEMINI_KEYWORDS.has(key)).map((key) => `unknown name "${key}"`),
    ...(type !== undefined && typeof type !== "string" ? ["type: a list is not an enum value of Type"] : []),
    ...("$ref" in part && keys.length > 0 ? ["$ref: no other properties may be set"] : []),
    ...(anyOf !== undefined && keys.length > 1 ? ["specified other fields alongside any_of"] : []),
    ...(values !== undefined && type !== "string" ? ["enum: only allowed for STRING type"] : []),
    ...([values ?? []].flat().some((value) => typeof value !== "string" || value === "")
      ? ["enum: cannot be empty"]
      : []),
    ...(type === "array" && items === undefined ? ["items: missing field"] : []),
    ...[required ?? []]
      .flat()
      .flatMap((name) => (declared.includes(String(name)) ? [] : [`required: property is not defined: ${name}`])),
    ...(type === "string" && format !== undefined && format !== "date-time" && format !== "enum"
      ? ["only 'enum' and 'date-time' are supported for STRING type"]
      : []),
  ];
}

/** Why OpenAI's API would refuse the schema of an answer. */
export function openAiOutputFaults(schema: JsonObject, strict: boolean): string[] {
  const root = [
    ...(schema["type"] === "object"
      ? []
      : [`schema must be a JSON Schema of 'type: "object"', got '${schema["type"]}'`]),
    ...("anyOf" in schema ? ["anyOf is not permitted at the root"] : []),
  ];
  if (!strict) return [...root, ...invalid(schema)];
  return [
    ...root,
    ...invalid(schema),
    ...[...schemasIn(schema)].flatMap(([part, path]) => strictFaults(part).map((fault) => `${path}: ${fault}`)),
  ];
}

const STRICT_REFUSED = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "dependentRequired",
  "default",
  "prefixItems",
];
const STRICT_FORMATS = /^(date-time|time|date|duration|email|hostname|ipv4|ipv6|uuid)$/;

function strictFaults(part: JsonObject): string[] {
  const { properties, required, additionalProperties, type, format } = part;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const isObject = [type].flat().includes("object");
  return [
    ...STRICT_REFUSED.filter((key) => key in part).map((key) => `'${key}' is not permitted`),
    ...(["type", "anyOf", "enum", "const", "$ref"].some((key) => key in part) ? [] : ["schema must have a 'type' key"]),
    ...(isObject && additionalProperties !== false
      ? ["'additionalProperties' is required to be supplied and to be false"]
      : []),
    ...(isObject
      ? names.filter((name) => ![required ?? []].flat().includes(name)).map((name) => `Missing '${name}' in required`)
      : []),
    ...("$ref" in part && Object.keys(part).length > 1 ? ["$ref cannot have keywords"] : []),
    ...(typeof format === "string" && !STRICT_FORMATS.test(format) ? [`'${format}' is not a valid format`] : []),
  ];
}
