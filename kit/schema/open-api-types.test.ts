import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { isOpenApiSchema } from "./open-api-types.ts";
import { toSchema } from "./schema.ts";

describe("a schema in the form of the Gemini API", () => {
  const source = {
    type: "OBJECT",
    description: "A city.",
    nullable: false,
    properties: {
      name: { type: "STRING", minLength: "1" },
      // A property may have the name of a keyword.
      type: { type: "STRING", enum: ["A", "B"], nullable: true },
      visits: { type: "ARRAY", items: { type: "INTEGER" }, maxItems: "2" },
      area: { anyOf: [{ type: "NUMBER" }, { type: "BOOLEAN" }], nullable: true },
    },
    required: ["name"],
    propertyOrdering: ["name"],
  };

  it("is read as JSON Schema", () => {
    expect(toSchema(source).jsonSchema).toEqual({
      type: "object",
      description: "A city.",
      properties: {
        name: { type: "string", minLength: 1 },
        type: { type: ["string", "null"], enum: ["A", "B", null] },
        visits: { type: "array", items: { type: "integer" }, maxItems: 2 },
        area: { anyOf: [{ type: "number" }, { type: "boolean" }, { type: "null" }] },
      },
      required: ["name"],
    });
  });

  it.each([
    [{ name: "Rome", type: null, visits: [1], area: null }, true],
    [{ name: "Rome", type: "B", area: 2.5 }, true],
    [{ name: "" }, false],
    [{ name: "Rome", type: "C" }, false],
    [{ name: "Rome", visits: [1, 2, 3] }, false],
    [{}, false],
  ])("checks values: %j", async (value, isAccepted) => {
    expect((await toSchema(source).check(value)).ok).toBe(isAccepted);
  });

  it("is recognised by its types, and is an agent's output schema", () => {
    const [byType, byOptions]: [JsonObject, JsonObject] = [{ type: "OBJECT" }, { anyOf: [{ type: "STRING" }] }];
    const others: JsonObject[] = [{ type: "object" }, { type: ["STRING"] }, { anyOf: [{ type: "string" }] }, {}];
    expect([byType, byOptions, ...others].map(isOpenApiSchema)).toEqual([true, true, false, false, false, false]);
    const agent = new LlmAgent({ name: "desk", outputSchema: source });
    expect(agent.outputSchema?.jsonSchema).toMatchObject({ type: "object", required: ["name"] });
  });
});
