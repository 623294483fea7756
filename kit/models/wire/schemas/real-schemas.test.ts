import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { ProviderForm } from "#kit/models/wire/provider-form.ts";
import { type ProviderKind, providerRules } from "#kit/models/wire/provider-rules.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { toSchema } from "#kit/schema/schema.ts";
import { HARD_SCHEMAS } from "#test/helpers/providers/hard-schemas.ts";
import {
  claudeSchemaFaults,
  geminiSchemaFaults,
  openAiOutputFaults,
  openAiSchemaFaults,
} from "#test/helpers/providers/schema-checks.ts";
import { verifies } from "#test/helpers/verifies.ts";

const require = createRequire(import.meta.url);
/** Published schemas of programs, of every draft: each definition is a tool's arguments. */
const FILES = [
  "@biomejs/biome/configuration_schema.json",
  "@seriousme/openapi-schema-validator/schemas/v2.0/schema.json",
  "@seriousme/openapi-schema-validator/schemas/v3.0/schema.json",
  "@seriousme/openapi-schema-validator/schemas/v3.1/schema.json",
  "@seriousme/openapi-schema-validator/schemas/v3.2/schema.json",
  "ajv/dist/refs/json-schema-draft-06.json",
  "ajv/dist/refs/json-schema-draft-07.json",
  "ajv-draft-04/dist/refs/json-schema-draft-04.json",
  "knip/schema.json",
];

function fileOf(name: string): string {
  const [scope = "", second = "", ...rest] = name.split("/");
  const [owner, path] = scope.startsWith("@")
    ? [`${scope}/${second}`, rest.join("/")]
    : [scope, [second, ...rest].join("/")];
  const folder = require.resolve.paths(owner)?.map((base) => `${base}/${owner}/${path}`) ?? [];
  for (const file of folder) {
    try {
      return readFileSync(file, "utf8");
    } catch {
      // The next folder of packages.
    }
  }
  throw new Error(`${name} is not installed`);
}

const MOST_DEFINITIONS = 12;
/** Many published definitions are alike. */
const EACH = 4;

const published = FILES.flatMap((name): (readonly [string, JsonObject])[] => {
  const document: JsonObject = JSON.parse(fileOf(name));
  return ["$defs", "definitions"].flatMap((key): (readonly [string, JsonObject])[] => {
    const definitions = document[key];
    if (!isJsonObject(definitions)) return [[name, document]];
    return Object.entries(definitions).flatMap(([own, schema]) =>
      isJsonObject(schema) ? withReferred(`${name} ${own}`, schema, { key, definitions }) : [],
    );
  });
});

/** The schema with the definitions that it refers to, as tools have it; none if these are a whole document. */
function withReferred(
  name: string,
  schema: JsonObject,
  { key, definitions }: { readonly key: string; readonly definitions: JsonObject },
): readonly (readonly [string, JsonObject])[] {
  const referred = new Map<string, JsonValue>();
  const follow = (value: JsonValue | undefined): void => {
    for (const [, own = ""] of JSON.stringify(value).matchAll(/"#\/(?:\$defs|definitions)\/([^"]+)"/g)) {
      if (referred.has(own)) continue;
      referred.set(own, definitions[own] ?? {});
      follow(definitions[own] ?? {});
    }
  };
  follow(schema);
  if (referred.size > MOST_DEFINITIONS) return [];
  return [[name, { ...schema, ...(referred.size > 0 && { [key]: Object.fromEntries(referred) }) }]];
}

const node: z.ZodType = z.lazy(() => z.object({ name: z.string(), children: z.array(node) }));
const forms = [
  z.object({ a: z.string().regex(/^\p{L}+$/u), b: z.number().int().multipleOf(5).optional() }),
  z.object({ kind: z.literal(1), level: z.union([z.literal(1), z.literal(2)]), on: z.literal(true) }),
  z.object({ pair: z.tuple([z.string(), z.number()]), more: z.tuple([z.string()]).rest(z.boolean()) }),
  z.object({ any: z.any(), map: z.record(z.string(), z.number()), list: z.array(z.unknown()) }),
  z.object({ mixed: z.union([z.string(), z.number(), z.null()]), empty: z.enum(["", "a"]), when: z.iso.datetime() }),
  z.object({ $top: z.number(), "filter[id]": z.object({ "$or[]": z.string() }), top: z.string(), "": z.string() }),
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("image"), url: z.url(), alt: z.string().nullable() }),
  ]),
  z.intersection(z.object({ a: z.string() }), z.union([z.object({ b: z.string() }), z.object({ c: z.number() })])),
  z.object({ node }),
];
const written: readonly JsonObject[] = [
  { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: { type: "string" }, b: {} } },
  { type: "object", properties: { a: { type: "string", nullable: true, exclusiveMinimum: true, minimum: 3 } } },
  { type: "object", properties: { a: { type: "array" }, b: { type: "any" }, c: { type: ["string", "array"] } } },
  { type: "object", properties: { a: { $ref: "#/properties/b", default: 1, title: "A" }, b: { type: "integer" } } },
  { type: "object", properties: { a: { $ref: "#/$defs/missing" }, b: { $ref: "https://example.com/x.json" } } },
  { type: "object", properties: { a: { enum: [1, 2, "x", null, true] }, b: { const: 7 }, c: { enum: [] } } },
  { type: "object", required: ["ghost"], properties: { a: { type: "string", required: true } } } as JsonObject,
  { type: "OBJECT", properties: { a: { type: "STRING", minLength: "3" } } },
  {
    $ref: "#/definitions/Root",
    definitions: { Root: { type: "object", properties: { self: { $ref: "#/definitions/Root" } } } },
  },
  {
    type: ["object", "null"],
    if: { required: ["a"] },
    then: { required: ["b"] },
    properties: { a: {}, b: false },
  } as JsonObject,
  {
    type: "object",
    properties: { a: { allOf: [{ type: "object", properties: { "x y": {} } }, { required: ["x y"] }] } },
  },
  { type: "object", properties: { a: { type: "array", items: [{ type: "string" }], additionalItems: false } } },
  { type: "string" },
  {},
];

const SCHEMAS = [
  ...published.filter((_, index) => index % EACH === 0),
  ...forms.map((form, index) => [`form ${index}`, toSchema(form).jsonSchema] as const),
  ...written.map((schema, index) => [`written ${index}`, schema] as const),
  ...Object.entries(HARD_SCHEMAS),
];

const CHECKS: readonly (readonly [ProviderKind, string, (schema: JsonObject) => string[]])[] = [
  ["claude", "claude-opus-5", claudeSchemaFaults],
  ["openai", "gpt-5", openAiSchemaFaults],
  ["openai-compatible", "qwen", openAiSchemaFaults],
  ["openai-compatible", "gemini-3-pro", geminiSchemaFaults],
  ["gemini", "gemini-3-pro", geminiSchemaFaults],
  ["vertex", "gemini-3-pro", geminiSchemaFaults],
];

function parametersFor(kind: ProviderKind, model: string, parameters: JsonObject): JsonObject {
  const request = new LlmRequest({ model });
  request.appendTools({ name: "f", getDeclaration: () => ({ name: "f", parameters }) });
  return new ProviderForm(request, providerRules(kind, model)).request.functionDeclarations[0]?.parameters ?? {};
}

describe(`${SCHEMAS.length} schemas`, () => {
  it("are many, and refused by each provider as they are written", () => {
    expect(SCHEMAS.length).toBeGreaterThan(500);
    for (const [kind, , faults] of CHECKS)
      expect([kind, SCHEMAS.filter(([, schema]) => faults(schema).length > 0).length > 20]).toEqual([kind, true]);
  });

  it.each(Object.entries(HARD_SCHEMAS))("have forms that some provider refuses: %s", (_, schema) => {
    const found = CHECKS.flatMap(([, , faults]) => faults(schema));
    expect([...found, ...openAiOutputFaults(schema, true)].length).toBeGreaterThan(0);
  });

  it.each(CHECKS)("are taken as arguments of tools by %s (%s)", (kind, model, faults) => {
    verifies("providers:tools:root", "providers:tools:schemas");
    const refused = SCHEMAS.flatMap(([name, schema]) => {
      const found = faults(parametersFor(kind, model, schema));
      return found.length === 0 ? [] : [`${name}: ${found.slice(0, 3).join("; ")}`];
    });
    expect(refused).toEqual([]);
  });

  it("are taken as output schemas by OpenAI", () => {
    verifies("providers:output:wrapped");
    const refused = SCHEMAS.flatMap(([name, responseSchema]) => {
      const request = new LlmRequest({ model: "gpt-5", config: { responseSchema } });
      const { config, strictOutput } = new ProviderForm(request, providerRules("openai", "gpt-5")).request;
      const found = openAiOutputFaults(config.responseSchema ?? {}, strictOutput);
      return found.length === 0 ? [] : [`${name}: ${found.slice(0, 3).join("; ")}`];
    });
    expect(refused).toEqual([]);
  });
});
