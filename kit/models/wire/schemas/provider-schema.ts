import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { LinearPattern } from "#kit/schema/linear-pattern.ts";
import type { SchemaRules } from "./schema-rules.ts";
import { mapSubschemas, propertiesOf, schemasOf, textsOf, withNote } from "./subschemas.ts";

const MAX_NOTE_CHARACTERS = 200;
/** Keywords whose values are said in words where the provider does not take them. */
const SAID: ReadonlySet<string> = new Set([
  ...["format", "pattern", "default", "examples", "uniqueItems", "minItems", "maxItems", "minLength", "maxLength"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minProperties", "maxProperties"],
  ...[
    "patternProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "const",
    "enum",
  ],
]);
/** Parts of patterns that engines other than JavaScript's refuse. */
const UNUSUAL_PATTERN = /\\[pPuUxk]|\(\?[<a-z]|\[\[|&&/;

/** A plain schema with the forms and keywords that the provider takes. */
export function providerSchema(schema: JsonObject, rules: SchemaRules): JsonObject {
  return withRules(
    mapSubschemas(schema, (subschema) => providerSchema(subschema, rules)),
    rules,
  );
}

/** A schema whose subschemas have their form already. */
function withRules(schema: JsonObject, rules: SchemaRules): JsonObject {
  const steps = [
    withoutParts,
    withTexts,
    withOneType,
    withItems,
    withDeclaredRequired,
    withTakenKeywords,
    withBareUnion,
  ];
  return steps.reduce((form, step) => step(form, rules), schema);
}

/** `allOf` becomes one schema where it is not taken: what the schema itself says wins, then the first part. */
function withoutParts(schema: JsonObject, { keywords }: SchemaRules): JsonObject {
  const { allOf, oneOf, ...rest } = schema;
  const isChoice = oneOf !== undefined && !keywords.has("oneOf");
  const form = isChoice ? withChoice(rest, oneOf) : { ...rest, ...(oneOf !== undefined && { oneOf }) };
  if (allOf === undefined || keywords.has("allOf")) return allOf === undefined ? form : { ...form, allOf };
  return joinedParts([form, ...schemasOf(allOf)]);
}

function joinedParts(parts: readonly JsonObject[]): JsonObject {
  const members = new Map<string, JsonValue>();
  const properties = new Map<string, JsonValue>();
  const required = new Set<string>();
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) if (!members.has(key)) members.set(key, value);
    for (const [name, value] of Object.entries(propertiesOf(part)))
      if (!properties.has(name)) properties.set(name, value);
    for (const name of textsOf(part["required"])) required.add(name);
  }
  if (members.has("properties")) members.set("properties", Object.fromEntries(properties));
  if (members.has("required")) members.set("required", [...required]);
  return Object.fromEntries(members);
}

function withChoice(schema: JsonObject, choice: JsonValue): JsonObject {
  return schema["anyOf"] === undefined ? { ...schema, anyOf: choice } : schema;
}

/** `const` as an enumeration, and enumerations of texts alone, as far as the provider has these rules. */
function withTexts(schema: JsonObject, { keywords, textEnumsOnly }: SchemaRules): JsonObject {
  const { const: value, ...rest } = schema;
  const form: JsonObject = value === undefined || keywords.has("const") ? schema : { ...rest, enum: [value] };
  const { enum: values, ...others } = form;
  if (!textEnumsOnly || !Array.isArray(values)) return form;
  const { type } = others;
  const taken = values.filter((one) => typeof one === "string" && one !== "");
  const rest_ = values.filter((one) => !taken.includes(one) && one !== null);
  const isNullable = values.includes(null) || [type ?? []].flat().includes("null");
  if (rest_.length === 0 && taken.length > 0)
    return { ...others, type: isNullable ? ["string", "null"] : "string", enum: taken };
  const types = [...new Set(values.map(typeNameOf))];
  return withNote(
    { ...others, type: type ?? (types.length === 1 ? (types[0] ?? "string") : types) },
    `One of: ${shortJson(values)}.`,
  );
}

function typeNameOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function withOneType(schema: JsonObject, rules: SchemaRules): JsonObject {
  const { type, ...rest } = schema;
  if (rules.typeLists || !Array.isArray(type)) return schema;
  const { title, description, default: _, anyOf, ...details } = rest;
  if (anyOf !== undefined) return rest;
  const forms = type.map((name) => withRules({ type: name, ...detailsOf(details, name) }, rules));
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: forms,
  };
}

const DETAILS: Readonly<Record<string, RegExp>> = {
  string: /^(enum|format|pattern|minLength|maxLength)$/,
  number: /^(format|multipleOf|(exclusive)?(minimum|maximum)|exclusive.*)$/i,
  integer: /^(format|multipleOf|(exclusive)?(minimum|maximum)|exclusive.*)$/i,
  array: /items|contains/i,
  object: /propert|required|dependent/i,
};

/** The keywords that say something about values of the type. */
function detailsOf(details: JsonObject, type: string): JsonObject {
  const pattern = DETAILS[type];
  return Object.fromEntries(Object.entries(details).filter(([key]) => pattern?.test(key) === true));
}

/** Arrays say what their items are. */
function withItems(schema: JsonObject): JsonObject {
  const { type, items } = schema;
  return [type ?? []].flat().includes("array") && items === undefined ? { ...schema, items: {} } : schema;
}

function withDeclaredRequired(schema: JsonObject, { declaresRequired }: SchemaRules): JsonObject {
  const { required, properties } = schema;
  if (!declaresRequired || required === undefined) return schema;
  const missing = textsOf(required).filter((name) => !Object.hasOwn(Object(properties ?? {}), name));
  if (missing.length === 0) return schema;
  return {
    ...schema,
    properties: { ...propertiesOf(schema), ...Object.fromEntries(missing.map((name) => [name, {}])) },
  };
}

function withTakenKeywords(schema: JsonObject, rules: SchemaRules): JsonObject {
  const kept: Record<string, JsonValue> = {};
  const said: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (isTaken(key, value, rules)) kept[key] = value;
    else if (SAID.has(key)) said.push(`${key}: ${shortJson(value)}`);
  }
  const { $ref, ...siblings } = kept;
  const form: JsonObject = $ref === undefined || rules.keywords.has("$ref siblings") ? kept : { $ref };
  if (said.length === 0 || (form === siblings && $ref !== undefined)) return form;
  return withNote(form, `(${said.join("; ").slice(0, MAX_NOTE_CHARACTERS)})`);
}

function isTaken(key: string, value: JsonValue, { keywords, formats }: SchemaRules): boolean {
  if (!keywords.has(key)) return false;
  if (key === "format") return formats === undefined || (typeof value === "string" && formats.has(value));
  return key !== "pattern" || (typeof value === "string" && isUsualPattern(value));
}

function isUsualPattern(pattern: string): boolean {
  if (UNUSUAL_PATTERN.test(pattern)) return false;
  try {
    new LinearPattern(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** What stands beside a choice goes into each of its schemas. */
function withBareUnion(schema: JsonObject, rules: SchemaRules): JsonObject {
  const { anyOf, ...beside } = schema;
  if (!rules.bareUnions || anyOf === undefined) return schema;
  const { $defs, ...shared } = beside;
  if (Object.keys(shared).length === 0) return schema;
  return {
    ...($defs !== undefined && { $defs }),
    anyOf: schemasOf(anyOf).flatMap((option) => {
      const both = {
        ...shared,
        ...option,
        ...((shared["properties"] ?? option["properties"]) !== undefined && {
          properties: { ...propertiesOf(shared), ...propertiesOf(option) },
        }),
      };
      const bare = withBareUnion(both, rules);
      return bare["anyOf"] === undefined ? [bare] : schemasOf(bare["anyOf"]);
    }),
  };
}

function shortJson(value: JsonValue): string {
  const json = JSON.stringify(value);
  return json.length <= MAX_NOTE_CHARACTERS ? json : `${json.slice(0, MAX_NOTE_CHARACTERS).toWellFormed()}…`;
}
