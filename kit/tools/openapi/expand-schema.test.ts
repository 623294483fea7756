import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
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
    ["another version", { openapi: "2.0" }, /version 3\.0 or 3\.1/],
    ["aliases that multiply", aliases(), /neither JSON nor YAML|more than/],
  ])("refuses %s", async (_, source, message) => {
    await expect(OpenApiDocument.read(source)).rejects.toThrow(message);
  });
});

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
