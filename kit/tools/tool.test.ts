import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { FunctionTool } from "./function-tool.ts";
import { tool } from "./tool.ts";

const city = z.object({ city: z.string() });
const cityJson = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

function getWeather({ city: place }: { readonly city: string }) {
  return { report: `Sunny in ${place}` };
}

function refusal(make: () => unknown): string {
  try {
    make();
    return "";
  } catch (error) {
    return error instanceof PlatformError ? `${error.reason}: ${error.message}` : String(error);
  }
}

describe("tool", () => {
  it("makes a tool that the model calls by the function's name", async () => {
    const model = new ScriptedModel([functionCallResponse("getWeather", { city: "Rome" }), "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "desk", model, tools: [tool(getWeather, city)] }));
    const [, answer] = await world.run("weather?");
    expect(answer?.content?.parts?.[0]?.functionResponse?.response).toEqual({ report: "Sunny in Rome" });
  });

  it.each([
    ["the setting", tool(getWeather, city.describe("By schema."), { description: "By setting." }), "By setting."],
    ["the schema's", tool(getWeather, city.describe("By schema.")), "By schema."],
    ["the schema's, of JSON Schema", tool(getWeather as () => unknown, { ...cityJson, description: "A" }), "A"],
    ["the words of the name", tool(getWeather, city), "Get weather."],
    ["the words of a name with underscores", tool(getWeather, city, { name: "get_weather2Now" }), "Get weather2 now."],
  ])("describes the tool by %s", (_source, made, description) => {
    expect(made.description).toBe(description);
  });

  it("declares the schema, and takes the other settings of a FunctionTool", () => {
    const made = tool(getWeather, city, { name: "weather", timeoutMs: 5, idempotent: true });
    expect(made.getDeclaration()).toMatchObject({ name: "weather", description: "Weather.", parameters: cityJson });
    expect([made.timeoutMs, made.idempotent, made instanceof FunctionTool]).toEqual([5, true, true]);
    const plain = tool(function rollDie() {
      return 4;
    });
    expect(plain.getDeclaration()).toEqual({ name: "rollDie", description: "Roll die." });
  });

  it.each([
    [() => tool(() => 4), "tool() needs a function with a name: name the function, or give one"],
    [
      () => tool(getWeather as () => unknown),
      'The function "getWeather" takes arguments: give their schema, as in tool(getWeather, z.object({ … })).',
    ],
    [() => Reflect.apply(tool, undefined, ["roll"]), "tool() needs a function first"],
    [() => Reflect.apply(tool, undefined, [getWeather, "city"]), "A schema must be a zod schema"],
  ])("refuses what lacks a name, a schema or a function: %#", (make, problem) => {
    expect(refusal(make)).toContain(`INVALID_FIELD: ${problem}`);
  });
});

describe("a FunctionTool without a name", () => {
  it("has the name of its function", () => {
    expect(new FunctionTool({ description: "Weather.", parameters: city, execute: getWeather }).name).toBe(
      "getWeather",
    );
  });

  it("is refused if the function has none", () => {
    const [execute] = [() => 4];
    expect(refusal(() => new FunctionTool({ description: "Rolls.", execute }))).toBe(
      "INVALID_FIELD: FunctionTool has no name: give one, or a named function as execute.",
    );
  });
});
