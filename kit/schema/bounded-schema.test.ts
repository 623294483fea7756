import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { boundedSchema } from "./bounded-schema.ts";
import { toSchema } from "./schema.ts";

describe("boundedSchema", () => {
  it("writes references out, with what stands beside them, and leaves out the definitions", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { pet: { $ref: "#/$defs/a~1b", minProperties: 1 }, plain: { $ref: "#/$defs/name" } },
      $defs: { "a/b": { type: "object", required: ["name"] }, name: { type: "string", enum: ["$ref"] } },
    };
    expect(boundedSchema(schema)).toEqual({
      schema: {
        type: "object",
        properties: {
          pet: { allOf: [{ type: "object", required: ["name"] }, { minProperties: 1 }] },
          plain: { type: "string", enum: ["$ref"] },
        },
      },
      parts: 6,
    });
  });

  it("is any value where a schema recurs, and where a reference leads nowhere", () => {
    const node: JsonObject = { properties: { next: { $ref: "#" }, other: { $ref: "https://a.example" } } };
    expect(boundedSchema(node).schema).toEqual({
      properties: { next: { properties: { next: {}, other: {} } }, other: {} },
    });
    expect(boundedSchema({ $ref: "#/$defs/none" }).schema).toEqual({});
  });

  it("bounds schemas whose check would be exponential", async () => {
    const twice = (name: string): JsonValue => [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }];
    const $defs: Record<string, JsonObject> = { a40: { type: "object" } };
    for (let level = 0; level < 40; level += 1) $defs[`a${level}`] = { allOf: twice(`a${level + 1}`) };
    const wide = boundedSchema({ type: "object", allOf: twice("a0"), $defs });
    expect(wide.parts).toBe(5000);
    expect((await toSchema(wide.schema).check({})).ok).toBe(true);

    let value: JsonObject = {};
    for (let level = 0; level < 60; level += 1) value = { a: value };
    const recursive = { n: { type: "object", properties: { a: { anyOf: twice("n") } }, required: ["x"] } };
    const { schema } = boundedSchema({ $ref: "#/$defs/n", $defs: recursive });
    expect((await toSchema(schema).check(value)).ok).toBe(false);
  });
});
