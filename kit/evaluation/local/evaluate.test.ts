import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { metricNotes } from "#kit/evaluation/metric-note.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ModelRegistry } from "#kit/models/registry/model-registry.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { parseEvalSet } from "../eval-json.ts";
import { parseEvalConfig } from "../formats/eval-config.ts";
import { evaluate } from "./evaluate.ts";

const QUESTION = { role: "user", parts: [{ text: "What is open?" }] };

describe("evaluate", () => {
  it("runs each case in a session of its own and has results as clients read them", async () => {
    verifies(
      "server-objects:run-eval-result:further-fields",
      "server-objects:run-eval-result:eval-id",
      "platform:evaluation:local",
    );
    const usage = { modelVersion: "scripted", usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } };
    const call = { ...functionCallResponse("find", { day: "Monday" }, "call-1"), ...usage };
    const agent = agentOf([call, { content: modelContent("The museum is open."), ...usage }]);
    const expected = {
      userContent: QUESTION,
      finalResponse: { role: "model", parts: [{ text: "The museum is open" }] },
      intermediateData: { toolUses: [{ name: "find", args: { day: "Monday" } }] },
    };
    const set = setOf({
      evalId: "museum",
      conversation: [expected],
      sessionInput: { appName: "guide", userId: "ada", state: { city: "Rome" } },
    });
    const result = await evaluate(agent, set, undefined, { clock: new FixedClock(5000) });
    expect(result).toMatchObject({
      evalSetResultId: "guide_places_5",
      evalSetResultName: "guide_places_5",
      evalSetId: "places",
      creationTimestamp: 5,
    });
    const [first] = result.evalCaseResults;
    expect(first).toMatchObject({ evalSetId: "places", evalId: "museum", finalEvalStatus: 1, userId: "ada" });
    expect(first?.sessionId).toMatch(/^adk-eval-session-[0-9a-f-]{36}$/);
    expect(
      first?.overallEvalMetricResults.map(({ metricName, score, evalStatus }) => [metricName, score, evalStatus]),
    ).toEqual([
      ["tool_trajectory_avg_score", 1, 1],
      ["response_match_score", 1, 1],
      ["tool_call_count_v1", 1, 4],
      ["inference_call_count_v1", 2, 4],
      ["token_usage_v1", 8, 4],
      ["invocation_duration_v1", 0, 4],
    ]);
    const [turn] = first?.evalMetricResultPerInvocation ?? [];
    expect(turn?.expectedInvocation).toMatchObject(expected);
    expect(turn?.actualInvocation.appDetails).toMatchObject({
      agentDetails: {
        guide: {
          name: "guide",
          instructions: expect.stringContaining("You know Rome."),
          toolDeclarations: [{ functionDeclarations: [{ name: "find" }] }],
        },
      },
    });
    expect(turn?.actualInvocation.finalResponse).toEqual({ role: "model", parts: [{ text: "The museum is open." }] });
  });

  it("fails a case whose run fails, says why, and then runs the next", async () => {
    const agent = agentOf([new Error("no connection"), "Yes"]);
    const turn = { userContent: QUESTION, finalResponse: { role: "model", parts: [{ text: "Yes" }] } };
    const set = setOf({ evalId: "one", conversation: [turn] }, { evalId: "two", conversation: [turn] });
    const config = parseEvalConfig({ criteria: { response_match_score: 0.5 } });
    const seen: string[] = [];
    const result = await evaluate(agent, set, config, {
      parallel: 1,
      onCaseResult: ({ evalId }) => void seen.push(evalId),
    });
    expect(result.evalCaseResults.map(({ evalId, finalEvalStatus }) => [evalId, finalEvalStatus])).toEqual([
      ["one", 2],
      ["two", 1],
    ]);
    expect(metricNotes(result.evalCaseResults[0]?.overallEvalMetricResults[0] ?? {})).toEqual([
      expect.stringContaining("no connection"),
    ]);
    expect(seen).toEqual(["one", "two"]);
  });

  it("plays the user of a scenario by a model, asks a judge, and has the conversation in its result", async () => {
    const agent = agentOf(["Which day?", "The museum is open."]);
    const models = new ModelRegistry()
      .register("user", new ScriptedModel(["On Monday.", "</finished>"]))
      .register("judge", new ScriptedModel(['{"is_valid": true}\n'], { repeatLast: true }));
    const config = parseEvalConfig({
      criteria: {
        per_turn_user_simulator_quality_v1: { threshold: 1, judgeModelOptions: { judgeModel: "judge", numSamples: 1 } },
      },
      userSimulatorConfig: { model: "user" },
    });
    const conversationScenario = { startingPrompt: "What is open?", conversationPlan: "Ask for Monday." };
    const [result] = (await evaluate(agent, setOf({ evalId: "plan", conversationScenario }), config, { models }))
      .evalCaseResults;
    expect(result?.overallEvalMetricResults[0]).toMatchObject({ score: 1, evalStatus: 1 });
    const texts = result?.evalMetricResultPerInvocation.map(({ actualInvocation: { userContent, finalResponse } }) => [
      userContent.parts?.[0]?.text,
      finalResponse?.parts?.[0]?.text,
    ]);
    expect(texts).toEqual([
      ["What is open?", "Which day?"],
      ["On Monday.", "The museum is open."],
    ]);
  });

  it("runs the plugins of an app", async () => {
    const runs: string[] = [];
    const plugin = { name: "counter", afterRunCallback: async () => void runs.push("run") };
    const app = createApp({ name: "museums", rootAgent: agentOf(["Yes"]), plugins: [plugin] });
    await evaluate(app, setOf({ evalId: "one", conversation: [{ userContent: QUESTION }] }));
    expect(runs).toEqual(["run"]);
  });

  it.each([
    ["no cases", [], {}, "has no cases"],
    ["an unknown metric", ["a"], { criteria: { response_match: 1 } }, "is not a metric"],
    [
      "a custom metric without a function",
      ["a"],
      { criteria: { polite: 1 }, customMetrics: { polite: { codeConfig: { name: "x" } } } },
      "which was not given",
    ],
  ])("refuses %s", async (_title, ids, config, message) => {
    const cases = ids.map((evalId) => ({ evalId, conversation: [{ userContent: QUESTION }] }));
    await expect(evaluate(agentOf([]), setOf(...cases), parseEvalConfig(config))).rejects.toThrow(message);
  });

  it("ends when it is aborted", async () => {
    const controller = new AbortController();
    const agent = agentOf([
      () => {
        controller.abort(new Error("stopped"));
        return "Yes";
      },
    ]);
    const set = setOf({ evalId: "one", conversation: [{ userContent: QUESTION }] });
    await expect(evaluate(agent, set, undefined, { signal: controller.signal })).rejects.toThrow("stopped");
  });
});

function agentOf(steps: readonly ScriptedStep[]): LlmAgent {
  const find = new FunctionTool({
    name: "find",
    description: "Finds what is open.",
    execute: () => ({ open: "museum" }),
  });
  return new LlmAgent({
    name: "guide",
    model: new ScriptedModel(steps),
    instruction: "You know {city?}.",
    tools: [find],
  });
}

function setOf(...evalCases: readonly object[]) {
  return parseEvalSet({ evalSetId: "places", evalCases });
}
