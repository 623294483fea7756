import { describe, expect, it } from "vitest";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { modelContent } from "#kit/events/content.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

function worldOf(
  steps: readonly ScriptedStep[],
  execute: (context: ToolContext) => unknown,
  options: Partial<LlmAgentOptions> = {},
) {
  const work = new FunctionTool({ name: "work", description: "Works.", execute: (_args, context) => execute(context) });
  return createAgentWorld(new LlmAgent({ name: "helper", model: new ScriptedModel(steps), tools: [work], ...options }));
}

describe("the turn of an LLM agent", () => {
  it("ends behind the tools when one of them ends the invocation", async () => {
    const world = await worldOf([functionCallResponse("work")], ({ invocationContext }) => {
      invocationContext.endInvocation = true;
    });
    expect((await world.run("go")).map(brief)).toEqual(["helper: work({})", 'helper: work -> {"result":null}']);
  });

  it("does not end with a structured answer where the agent has no output schema", async () => {
    const world = await worldOf([functionCallResponse("work"), "done"], ({ actions }) => {
      actions.setModelResponse = { city: "Rome" };
    });
    expect((await world.run("go")).map(brief).at(-1)).toBe("helper: done");
  });
});

describe("the output key", () => {
  it("gets no text that stands beside a call, and no blank text", async () => {
    const call = { role: "model", parts: [{ text: "Let me see." }, { functionCall: { name: "work", args: {} } }] };
    const world = await worldOf([{ content: call }, "  \n"], () => 1, { outputKey: "answer" });
    await world.run("go");
    expect((await world.session()).state).toEqual({});
  });
});

describe("an event of the model", () => {
  it("has no mark of a partial event when it is complete", async () => {
    const world = await worldOf([{ content: modelContent("done"), partial: false }], () => 1);
    const [event] = await world.run("go");
    expect(Object.keys(event ?? {})).not.toContain("partial");
  });
});
