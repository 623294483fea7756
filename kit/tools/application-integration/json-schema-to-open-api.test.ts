import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "#kit/platform/json.ts";
import { toSchema } from "#kit/schema/schema.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { convertJsonSchemaToOpenApiSchema } from "./json-schema-to-open-api.ts";

describe("convertJsonSchemaToOpenApiSchema", () => {
  it("converts a JSON schema to an OpenAPI schema", () => {
    verifies("tools:json-schema-to-open-api");
    const converted = convertJsonSchemaToOpenApiSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "ticket",
      type: "object",
      description: "A ticket.",
      properties: {
        title: { type: "string", minLength: 1, examples: ["Broken", "Lost"] },
        due: { type: ["string", "null"], format: "date", description: "When." },
        state: { const: "open" },
        share: { type: "number", exclusiveMinimum: 0, maximum: 1 },
        tags: { type: "array", items: { type: "string" }, uniqueItems: true },
        owner: { anyOf: [{ $ref: "#/$defs/Person" }, { type: "null" }] },
      },
      required: ["title"],
      additionalProperties: false,
      patternProperties: { "^x-": {} },
      $defs: { Person: { type: "object", properties: { name: { type: "string" } } } },
    });
    expect(converted).toEqual({
      type: "object",
      description: "A ticket.",
      properties: {
        title: { type: "string", minLength: 1, example: "Broken" },
        due: { type: "string", nullable: true, format: "date", description: "When." },
        state: { enum: ["open"] },
        share: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1 },
        tags: { type: "array", items: { type: "string" }, uniqueItems: true },
        owner: { type: "object", properties: { name: { type: "string" } }, nullable: true },
      },
      required: ["title"],
      additionalProperties: false,
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [{}, {}],
    [{ type: "null" }, { nullable: true }],
    [{ type: ["null", "integer"] }, { type: "integer", nullable: true }],
    [{ type: ["null"] }, { nullable: true }],
    [{ type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
    [{ oneOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
    [{ oneOf: [{ type: "null" }] }, { nullable: true }],
    [
      { allOf: [{ type: "string" }], not: { const: "x" } },
      { allOf: [{ type: "string" }], not: { enum: ["x"] } },
    ],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    ],
    [{ type: "array", items: true }, { type: "array" }],
    [{ properties: { any: true, none: false } }, { properties: { any: {}, none: { not: {} } } }],
    [
      { type: "object", additionalProperties: { type: ["string", "null"] } },
      { type: "object", additionalProperties: { type: "string", nullable: true } },
    ],
    [
      { minimum: 1, exclusiveMinimum: true, exclusiveMaximum: 9 },
      { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    ],
    [
      { $ref: "#/$defs/a~1b", description: "Nearer.", $defs: { "a/b": { type: "string", description: "Farther." } } },
      { type: "string", description: "Nearer." },
    ],
    [{ $ref: "#/$defs/gone" }, {}],
    [{ $ref: "https://example.com/schema" }, {}],
  ])("writes %j as %j", (jsonSchema, openApi) => {
    expect(convertJsonSchemaToOpenApiSchema(jsonSchema)).toEqual(openApi);
  });

  it("ends a reference that leads back into itself", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
    expect(convertJsonSchemaToOpenApiSchema(tree)).toEqual({
      type: "object",
      properties: {
        children: {
          type: "array",
          items: { type: "object", properties: { children: { type: "array", items: {} } } },
        },
      },
    });
  });

  it("refuses a schema whose references multiply without bound", () => {
    const doubling = Array.from({ length: 30 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { properties: { a: next, b: next } }] as const;
    });
    const schema = { $ref: "#/$defs/d0", $defs: Object.fromEntries(doubling) };
    expect(() => convertJsonSchemaToOpenApiSchema(schema)).toThrow(
      "The schema has over 10000 parts when its references are written out.",
    );
  });

  it("takes what schema libraries make", () => {
    const { jsonSchema } = toSchema(z.object({ city: z.string().nullable(), days: z.int().positive().optional() }));
    expect(convertJsonSchemaToOpenApiSchema(jsonSchema)).toEqual({
      type: "object",
      properties: {
        city: { type: "string", nullable: true },
        days: { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: Number.MAX_SAFE_INTEGER },
      },
      required: ["city"],
    });
  });
});
