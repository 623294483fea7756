import { describe, expect, it } from "vitest";
import { InstructionTemplates } from "#kit/core/instruction.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });

function agentOf(model: ScriptedModel, options: Partial<LlmAgentOptions>): LlmAgent {
  return new LlmAgent({ name: "helper", model, ...options });
}

describe("instructions", () => {
  it("are passed as written when their templates are off", async () => {
    const model = new ScriptedModel(["hi"]);
    const options = {
      instruction: "Print {mood}.",
      globalInstruction: "In {city?}.",
      instructionTemplates: InstructionTemplates.OFF,
    };
    const world = await createAgentWorld(agentOf(model, options), { state: { mood: "calm" } });
    await world.run("hello");
    expect(model.requests[0]?.systemInstruction).toMatch(/^In \{city\?\}\.\n\nPrint \{mood\}\.\n\n/);
  });

  it("that are strict end the turn with an event that names what is missing, and the next turn works", async () => {
    const model = new ScriptedModel(["hi"]);
    const options = { instruction: "Be {mood}.", instructionTemplates: InstructionTemplates.STRICT };
    const world = await createAgentWorld(agentOf(model, options));
    await expect(world.run("hello")).rejects.toMatchObject({ details: { reason: "INSTRUCTION_VALUE_MISSING" } });
    expect((await world.session()).events.at(-1)).toMatchObject({ errorCode: "INSTRUCTION_VALUE_MISSING" });
    await world.run("hello", {}, { mood: "calm" });
    expect(model.requests[0]?.systemInstruction).toMatch(/^Be calm\.\n\n/);
  });

  it("that never change are passed separately, and the others just before the user's newest message", async () => {
    const model = new ScriptedModel(["hi", functionCallResponse("look"), "seen"]);
    const options = { staticInstruction: "Know {this}.", instruction: "Be {mood}.", tools: [look] };
    const world = await createAgentWorld(agentOf(model, options), { state: { mood: "calm" } });
    await world.run("one");
    await world.run("two", {}, { mood: "quick" });
    const told = model.requests.map(({ contents }) =>
      contents.map(({ role, parts }) => `${role}: ${parts?.[0]?.text?.split("\n\n").at(-1) ?? "-"}`),
    );
    expect(told).toEqual([
      ["user: Be calm.", "user: one"],
      ["user: one", "model: hi", "user: Be quick.", "user: two"],
      ["user: one", "model: hi", "user: Be quick.", "user: two", "model: -", "user: -"],
    ]);
    expect(new Set(model.requests.map(({ systemInstruction }) => systemInstruction.split("\n\n")[0]))).toEqual(
      new Set(["Know {this}."]),
    );
    expect(
      (await world.session()).events.filter(({ content }) => JSON.stringify(content).includes("Be quick")),
    ).toEqual([]);
  });
});
