import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BuiltInCodeExecutor } from "#kit/code-executors/built-in-code-executor.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const Place = z.object({ city: z.string(), temp: z.number().int() });
const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });

function agentOf(model: ScriptedModel, options: Partial<LlmAgentOptions> = {}): LlmAgent {
  return new LlmAgent({ name: "helper", model, outputSchema: Place, outputKey: "place", ...options });
}

const fixRequest = (problems: string) =>
  `helper: This answer does not fit the output schema: ${problems}. Answer again with JSON that fits, and nothing else.`;

describe("an output schema without tools", () => {
  it("goes with the request, and the output key gets what the schema makes of the answer", async () => {
    verifies("agents:llm:output-key");
    const model = new ScriptedModel(['{"city":" Rome "}']);
    const outputSchema = z.object({ city: z.string().trim(), temp: z.number().default(0) });
    const world = await createAgentWorld(agentOf(model, { outputSchema }));
    expect((await world.run("go")).map(brief)).toEqual(['helper: {"city":" Rome "}']);
    expect(model.requests[0]?.config.responseSchema).toMatchObject({ type: "object", required: ["city"] });
    expect((await world.session()).state).toEqual({ place: { city: "Rome", temp: 0 } });
  });

  it.each([
    ["not json", "it is not JSON"],
    ["```json\nRome\n```", "it is not JSON"],
    ['{"city":"Rome"}', "temp: Invalid input: expected number, received undefined"],
    ["", "it is not JSON"],
  ])("has the model fix %j once", async (text, problems) => {
    const model = new ScriptedModel([text, '{"city":"Rome","temp":21}']);
    const world = await createAgentWorld(agentOf(model));
    const events = await world.run("go");
    expect(events.map(brief)).toEqual([`helper: ${text}`, fixRequest(problems), 'helper: {"city":"Rome","temp":21}']);
    expect(events.map(({ actions }) => actions.stateDelta)).toEqual([{}, {}, { place: { city: "Rome", temp: 21 } }]);
    expect(model.requests[1]?.contents.at(-1)).toEqual(events[1]?.content);
  });

  it("ends with an error that names the problems when the second answer does not fit either, and the next turn works", async () => {
    const model = new ScriptedModel(["no", '{"city":"Rome","temp":"warm"}', '{"city":"Oslo","temp":3}']);
    const world = await createAgentWorld(agentOf(model));
    const [, , last, ...none] = await world.run("go");
    expect(none).toEqual([]);
    expect(last).toMatchObject({
      content: { role: "model", parts: [{ text: '{"city":"Rome","temp":"warm"}' }] },
      errorCode: "OUTPUT_SCHEMA_VIOLATED",
      errorMessage:
        'The answer does not fit the output schema of agent "helper": temp: Invalid input: expected number, received string.',
    });
    expect(last?.actions.stateDelta).toEqual({ place: { city: "Rome", temp: "warm" } });
    expect((await world.run("again")).map(brief)).toEqual(['helper: {"city":"Oslo","temp":3}']);
    expect((await world.session()).state).toEqual({ place: { city: "Oslo", temp: 3 } });
  });

  it("ends with that error immediately when the agent may not ask its model again", async () => {
    const world = await createAgentWorld(agentOf(new ScriptedModel(["no"]), { maxSteps: 1 }));
    expect((await world.run("go")).map(brief)).toEqual([
      'helper: no! OUTPUT_SCHEMA_VIOLATED: The answer does not fit the output schema of agent "helper": it is not JSON.',
    ]);
    expect((await world.session()).state).toEqual({ place: "no" });
  });

  it("lets callbacks after the model fix invalid JSON before it is validated", async () => {
    const model = new ScriptedModel(["{city: Rome, temp: 1}"]);
    const mended = { content: { role: "model", parts: [{ text: '{"city":"Rome","temp":1}' }] } };
    const world = await createAgentWorld(agentOf(model, { afterModelCallback: () => mended }));
    expect((await world.run("go")).map(brief)).toEqual(['helper: {"city":"Rome","temp":1}']);
    expect((await world.session()).state).toEqual({ place: { city: "Rome", temp: 1 } });
  });

  it("does not judge an answer that has an error already", async () => {
    const cutOff = { content: { role: "model", parts: [{ text: '{"ci' }] }, errorCode: "MAX_TOKENS" };
    const world = await createAgentWorld(agentOf(new ScriptedModel([cutOff])));
    expect((await world.run("go")).map(({ errorCode }) => errorCode)).toEqual(["MAX_TOKENS"]);
  });

  it("does not judge the partial events of a stream", async () => {
    const model = new ScriptedModel([streamedText('{"city":"Rome",', '"temp":1}')]);
    const world = await createAgentWorld(agentOf(model, { maxSteps: 1 }));
    const events = await world.run("go", { streamingMode: StreamingMode.SSE });
    expect(events.map(({ partial, errorCode }) => [partial, errorCode])).toEqual([
      [true, undefined],
      [true, undefined],
      [undefined, undefined],
    ]);
  });

  it("does not judge what a callback says in the model's place", async () => {
    const refusal = { content: { role: "model", parts: [{ text: "I may not." }] } };
    const world = await createAgentWorld(agentOf(new ScriptedModel([]), { beforeModelCallback: () => refusal }));
    expect((await world.run("go")).map(brief)).toEqual(["helper: I may not."]);
  });
});

describe("an output schema with tools", () => {
  it("goes with the request where the model can take both", async () => {
    const model = new ScriptedModel(['{"city":"Rome","temp":1}'], { supportsOutputSchemaWithTools: true });
    await (await createAgentWorld(agentOf(model, { tools: [look] }))).run("go");
    expect(model.requests[0]?.config.responseSchema).toMatchObject({ type: "object" });
    expect(model.requests[0]?.functionDeclarations.map(({ name }) => name)).toEqual(["look"]);
  });

  it("is not ignored where it cannot: the answer is given by a tool, and becomes the final text", async () => {
    const model = new ScriptedModel([
      functionCallResponse("look"),
      functionCallResponse("set_model_response", { city: "Rome", temp: 4 }),
    ]);
    const world = await createAgentWorld(agentOf(model, { tools: [look] }));
    const events = await world.run("go");
    expect(events.map(brief)).toEqual([
      "helper: look({})",
      'helper: look -> {"result":"seen"}',
      'helper: set_model_response({"city":"Rome","temp":4})',
      'helper: set_model_response -> {"city":"Rome","temp":4}',
      'helper: {"city":"Rome","temp":4}',
    ]);
    expect(events.at(-1)).toMatchObject({
      content: { role: "model" },
      actions: { stateDelta: { place: { city: "Rome", temp: 4 } } },
    });
    expect(events.at(-2)?.actions.setModelResponse).toEqual({ city: "Rome", temp: 4 });
    const [first] = model.requests;
    expect(first?.config).toEqual({});
    expect(first?.functionDeclarations).toMatchObject([
      { name: "set_model_response", parameters: { type: "object", required: ["city", "temp"] } },
      { name: "look" },
    ]);
    expect(first?.systemInstruction).toContain("`set_model_response`");
  });

  it("reports to the model what is wrong with a value, and only accepts one that fits", async () => {
    const model = new ScriptedModel([
      functionCallResponse("set_model_response", { city: "Rome" }),
      functionCallResponse("set_model_response", { city: "Rome", temp: 2 }),
    ]);
    const world = await createAgentWorld(agentOf(model, { tools: [look] }));
    expect((await world.run("go")).map(brief)).toEqual([
      'helper: set_model_response({"city":"Rome"})',
      `helper: set_model_response -> ${JSON.stringify({
        error:
          "The answer does not fit its schema: temp: Invalid input: expected number, received undefined. Fix this and call set_model_response again.",
      })}`,
      'helper: set_model_response({"city":"Rome","temp":2})',
      'helper: set_model_response -> {"city":"Rome","temp":2}',
      'helper: {"city":"Rome","temp":2}',
    ]);
  });

  it("is checked when the model answers by text all the same", async () => {
    const model = new ScriptedModel(["Mild.", functionCallResponse("set_model_response", { city: "Rome", temp: 2 })]);
    const world = await createAgentWorld(agentOf(model, { tools: [look] }));
    expect((await world.run("go")).map(brief).slice(0, 2)).toEqual([
      "helper: Mild.",
      "helper: This answer does not fit the output schema: it is not JSON. Call set_model_response with the fixed answer.",
    ]);
    expect((await world.session()).state).toEqual({ place: { city: "Rome", temp: 2 } });
  });

  it("counts code that the model runs itself as a tool", async () => {
    const model = new ScriptedModel([functionCallResponse("set_model_response", { city: "Rome", temp: 2 })], {
      model: "gemini-2.5-flash",
    });
    await (await createAgentWorld(agentOf(model, { codeExecutor: new BuiltInCodeExecutor() }))).run("go");
    expect(model.requests[0]?.functionDeclarations.map(({ name }) => name)).toEqual(["set_model_response"]);
  });

  it("counts agents to hand over to as tools", async () => {
    const model = new ScriptedModel([functionCallResponse("set_model_response", { city: "Rome", temp: 2 })]);
    const subAgents = [new LlmAgent({ name: "child" })];
    const world = await createAgentWorld(agentOf(model, { subAgents }));
    expect((await world.run("go")).map(brief).at(-1)).toBe('helper: {"city":"Rome","temp":2}');
    expect(model.requests[0]?.config).toEqual({});
  });

  it("leaves the state alone if the agent has no output key", async () => {
    const model = new ScriptedModel([functionCallResponse("set_model_response", { city: "Rome", temp: 2 })]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, outputSchema: Place, tools: [look] }));
    expect((await world.run("go")).at(-1)?.actions.stateDelta).toEqual({});
  });

  it("takes values that are not objects", async () => {
    const model = new ScriptedModel([functionCallResponse("set_model_response", { value: ["a", "b"] })]);
    const world = await createAgentWorld(agentOf(model, { tools: [look], outputSchema: z.array(z.string()) }));
    expect((await world.run("go")).map(brief).at(-1)).toBe('helper: ["a","b"]');
    expect((await world.session()).state).toEqual({ place: ["a", "b"] });
  });
});
