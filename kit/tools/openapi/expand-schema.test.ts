import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { SchemaExpansion } from "./expand-schema.ts";
import { OpenApiDocument } from "./open-api-document.ts";

async function expand(schemas: JsonObject, schema: JsonObject): Promise<JsonObject> {
  const document = await OpenApiDocument.read({ openapi: "3.0.0", components: { schemas } });
  return new SchemaExpansion(document).expand(schema);
}

describe("SchemaExpansion", () => {
  it("ends at a reference that recurs", async () => {
    const node = { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } };
    expect(await expand({ Node: node }, { $ref: "#/components/schemas/Node" })).toEqual({
      type: "object",
      properties: { next: {} },
    });
  });

  it("bounds references that would grow without end", async () => {
    const schemas: Record<string, JsonObject> = { S0: { type: "string", description: "x".repeat(500) } };
    for (let level = 1; level <= 25; level += 1) {
      const $ref = `#/components/schemas/S${level - 1}`;
      schemas[`S${level}`] = { type: "object", properties: { a: { $ref }, b: { $ref }, c: { $ref } } };
    }
    const expanded = await expand(schemas, { $ref: "#/components/schemas/S25" });
    expect(JSON.stringify(expanded).length).toBeLessThan(300_000);
  });

  it.each([
    ["long names", { type: "object", properties: { ["n".repeat(5000)]: {} } }],
    ["long required names", { type: "object", required: ["n".repeat(5000)] }],
    ["long texts of an enumeration", { enum: ["n".repeat(5000)] }],
    ["long titles", { title: "n".repeat(5000) }],
    ["types that repeat", { type: Array.from({ length: 1000 }, () => "string") }],
  ])("bounds a description of 10 KB with %s in parts of parts", async (_, inmost) => {
    verifies("tools:openapi:bounded");
    const parts = (level: number): JsonValue[] =>
      Array.from({ length: 50 }, () => ({ $ref: `#/components/schemas/S${level}` }));
    const schemas = { S0: inmost, S1: { allOf: parts(0) }, S2: { anyOf: parts(1) }, S3: { oneOf: parts(2) } };
    expect(JSON.stringify(schemas).length).toBeLessThan(15_000);
    const expanded = await expand(schemas, { $ref: "#/components/schemas/S3" });
    expect(JSON.stringify(expanded).length).toBeLessThan(300_000);
  });

  it("ends at schemas that refer to each other in a circle", async () => {
    const schemas = {
      A: { allOf: [{ $ref: "#/components/schemas/B" }] },
      B: { properties: { a: { $ref: "#/components/schemas/A" } }, items: { $ref: "#/components/schemas/B" } },
      C: { $ref: "#/components/schemas/C" },
    };
    expect(await expand(schemas, { $ref: "#/components/schemas/A" })).toEqual({
      allOf: [{ properties: { a: {} }, items: {} }],
    });
    expect(await expand(schemas, { $ref: "#/components/schemas/C" })).toEqual({});
  });

  it("keeps lists of types, and adds null to what is nullable in OpenAPI 3.0", async () => {
    const schema: JsonObject = {
      type: ["string", "null", "file"],
      anyOf: [
        { type: "integer", nullable: true },
        { type: ["integer", "null"], nullable: true },
        { enum: ["a"], nullable: true },
        { type: ["number"] },
      ],
    };
    expect(await expand({}, schema)).toEqual({
      type: ["string", "null"],
      anyOf: [{ type: ["integer", "null"] }, { type: ["integer", "null"] }, { enum: ["a", null] }, { type: "number" }],
    });
  });

  it("leaves out what only answers have", async () => {
    const schema = {
      properties: { id: { type: "string", readOnly: true }, name: { type: "string", writeOnly: true } },
      required: ["id", "name"],
    };
    expect(await expand({}, schema)).toEqual({ properties: { name: { type: "string" } }, required: ["name"] });
  });

  it("keeps names of prototypes as plain members, and drops patterns that need backtracking", async () => {
    const schema: JsonObject = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string","pattern":"(?=a)b"},"constructor":{"type":"string","nullable":true}}}',
    );
    const expanded = await expand({}, schema);
    expect(JSON.stringify(expanded["properties"])).toBe(
      '{"__proto__":{"type":"string"},"constructor":{"type":["string","null"]}}',
    );
    expect(await expand({}, { $ref: "#/components/schemas/constructor" })).toEqual({});
  });

  it("converts exclusive bounds of OpenAPI 3.0", async () => {
    expect(await expand({}, { type: "integer", minimum: 0, exclusiveMinimum: true })).toEqual({
      type: "integer",
      exclusiveMinimum: 0,
    });
  });
});

describe("OpenApiDocument", () => {
  it.each([
    ["a text that is neither JSON nor YAML", "{", /neither JSON nor YAML/],
    ["another version", { openapi: "2.0" }, /version 3\.0, 3\.1 or 3\.2/],
    ["aliases that multiply", aliases(), /neither JSON nor YAML|more than/],
    ["a text that is too long", " ".repeat(20_000_001), /more than 20000000 characters/],
    ["deep nesting", nested(101), /nested deeper than 100 levels/],
    ["many values", { openapi: "3.1.0", x: Array.from({ length: 2_000_001 }, () => 0) }, /more than 2000000 values/],
  ])("refuses %s", async (_, source, message) => {
    await expect(OpenApiDocument.read(source)).rejects.toThrow(message);
  });
});

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return { openapi: "3.1.0", x: value };
}

function aliases(): string {
  const lines = ["openapi: 3.1.0", "a0: &a0 [x]"];
  for (let level = 1; level < 9; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(", ")}]`,
    );
  }
  return lines.join("\n");
}
