import { describe, expect, it } from "vitest";
import { BaseCodeExecutor } from "#kit/code-executors/base-code-executor.ts";
import type { BasePlanner } from "#kit/core/base-planner.ts";
import type { CodeExecutionResult } from "#kit/core/code-executor.ts";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { BuiltInPlanner } from "#kit/llm-agent/planners/built-in-planner.ts";
import { PlanReActPlanner } from "#kit/llm-agent/planners/plan-re-act-planner.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ScriptedModel, streamedText } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createStep } from "#test/helpers/worlds/step.ts";
import { planning, planningResponse } from "./planning.ts";

const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => "seen" });
const planAndCall = {
  content: {
    role: "model",
    parts: [{ text: "/*PLANNING*/1. Look." }, { functionCall: { name: "look", args: {} } }, { text: "made up" }],
  },
};

describe("a planner", () => {
  it("has plans stored as thoughts, answers kept without them, and plans read again by the model", async () => {
    const model = new ScriptedModel([planAndCall, "/*REASONING*/It was seen./*FINAL_ANSWER*/Seen."]);
    const planner = new PlanReActPlanner();
    const world = await createAgentWorld(
      new LlmAgent({ name: "helper", model, tools: [look], planner, outputKey: "said" }),
    );
    const events = await world.run("go");
    expect(events.map(({ content }) => content?.parts)).toEqual([
      [{ text: "1. Look.", thought: true }, { functionCall: { id: expect.any(String), name: "look", args: {} } }],
      [{ functionResponse: expect.objectContaining({ response: { result: "seen" } }) }],
      [{ text: "It was seen.", thought: true }, { text: "Seen." }],
    ]);
    expect((await world.session()).state).toEqual({ said: "Seen." });
    expect(model.requests[0]?.systemInstruction).toContain(planner.buildPlanningInstruction());
    expect(model.requests[1]?.contents[1]?.parts?.[0]).toEqual({ text: "1. Look." });
  });

  it("has the code of an action run, and what was made up behind it left out", async () => {
    class Six extends BaseCodeExecutor {
      override async executeCode(): Promise<CodeExecutionResult> {
        return { stdout: "42\n", stderr: "", outputFiles: [] };
      }
    }
    const action = "/*ACTION*/Compute.\n```python\nprint(6*7)\n```\n/*FINAL_ANSWER*/41";
    const model = new ScriptedModel([action, "/*FINAL_ANSWER*/42"]);
    const agent = new LlmAgent({ name: "helper", model, planner: new PlanReActPlanner(), codeExecutor: new Six() });
    const events = await (await createAgentWorld(agent)).run("go");
    expect(events.map(({ content }) => content?.parts)).toEqual([
      [{ text: "Compute.\n", thought: true }, { executableCode: { code: "print(6*7)", language: "PYTHON" } }],
      [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "Code execution result:\n42\n\n" } }],
      [{ text: "42" }],
    ]);
  });

  it("streams what is known to be plan or answer, and never a tag", async () => {
    const model = new ScriptedModel([streamedText("/*PLAN", "NING*/1. a", "/*FINAL_", "ANSWER*/", "42", "!")]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, planner: new PlanReActPlanner() }));
    const events = await world.run("go", { streamingMode: StreamingMode.SSE });
    expect(events.map(({ partial, content }) => [partial, content?.parts])).toEqual([
      [true, [{ text: "1. a", thought: true }]],
      [true, [{ text: "42" }]],
      [true, [{ text: "!" }]],
      [undefined, [{ text: "1. a", thought: true }, { text: "42!" }]],
    ]);
  });

  it("may set the thinking of the model, in the place of the generation config", async () => {
    const model = new ScriptedModel(["hi", "hi"]);
    const planner = new BuiltInPlanner({ thinkingConfig: { thinkingBudget: 1024 } });
    const generateContentConfig = { temperature: 0, thinkingConfig: { thinkingBudget: 0 } };
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, planner, generateContentConfig }));
    expect([...(await world.run("go")), ...(await world.run("go"))].map(brief)).toEqual(["helper: hi", "helper: hi"]);
    expect(model.requests.map(({ config }) => config)).toEqual([
      { temperature: 0, thinkingConfig: { thinkingBudget: 1024 } },
      { temperature: 0, thinkingConfig: { thinkingBudget: 1024 } },
    ]);
    expect(generateContentConfig.thinkingConfig).toEqual({ thinkingBudget: 0 });
  });

  it("may change the state with the answer's event", async () => {
    const planner: BasePlanner = {
      buildPlanningInstruction: ({ readonlyState }) => `Plans so far: ${readonlyState["plans"] ?? 0}.`,
      processPlanningResponse: ({ state }) => {
        state.set("plans", Number(state.get("plans") ?? 0) + 1);
        return undefined;
      },
    };
    const model = new ScriptedModel(["hi", "hi"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, planner }));
    const events = [...(await world.run("go")), ...(await world.run("go"))];
    expect(events.map(({ actions }) => actions.stateDelta)).toEqual([{ plans: 1 }, { plans: 2 }]);
    expect(model.requests.map(({ systemInstruction }) => systemInstruction.split("\n\n").at(-1))).toEqual([
      "Plans so far: 0.",
      "Plans so far: 1.",
    ]);
  });
});

describe("a planner that leaves things out", () => {
  const thought = { text: "Hm.", thought: true };

  function stepOf(planner: Partial<BasePlanner>) {
    const agent = new LlmAgent({ name: "helper", planner: { buildPlanningInstruction: () => undefined, ...planner } });
    return createStep({ agent });
  }

  it("adds nothing to the request, and leaves thoughts as they are", () => {
    const step = stepOf({});
    step.request.contents = [{ role: "model", parts: [thought] }];
    planning(step);
    expect(step.request.systemInstruction).toBe("");
    expect(step.request.contents).toEqual([{ role: "model", parts: [thought] }]);
  });

  it("lets the model read its plans, but no signed thoughts and none without text", () => {
    const step = stepOf({ processPlanningResponse: () => undefined });
    const signed = { text: "Hm.", thought: true, thoughtSignature: "s" };
    const image = { inlineData: { data: "AAAA" }, thought: true };
    const others = [{ role: "user" }, { role: "model", parts: [signed, image, { text: "So." }] }];
    step.request.contents = [...others, { role: "model", parts: [thought, signed, image, { text: "So." }] }];
    planning(step);
    expect(step.request.contents).toEqual([
      ...others,
      { role: "model", parts: [{ text: "Hm." }, signed, image, { text: "So." }] },
    ]);
    expect(step.request.contents.slice(0, 2).map((content, index) => content === others[index])).toEqual([true, true]);
  });

  it.each<[string, Partial<BasePlanner>, LlmResponse]>([
    ["no content", {}, { errorCode: "SAFETY" }],
    ["a content without parts", { processPlanningResponse: () => [] }, { content: { role: "model" } }],
    ["a chunk", { processPlanningResponse: () => [] }, { content: { parts: [thought] }, partial: true }],
    ["a complete answer", {}, { content: { parts: [thought] } }],
    [
      "an answer that it does not change",
      { processPlanningResponse: () => undefined },
      { content: { parts: [thought] } },
    ],
  ])("passes a response on as it is: %s", (_, planner, response) => {
    const step = stepOf(planner);
    expect(planningResponse.rewrite(step, response, new CallbackContext(step.context))).toBe(response);
  });
});
