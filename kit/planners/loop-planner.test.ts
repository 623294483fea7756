import { describe, expect, it } from "vitest";
import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import { createPlanning, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { LoopPlanner } from "./loop-planner.ts";
import { PlannerAgent } from "./planner-agent.ts";

async function runOf(maxCycles: number, ...subAgents: readonly BaseAgent[]): Promise<readonly string[]> {
  const planner = new LoopPlanner({ maxCycles });
  const world = await createAgentWorld(new PlannerAgent({ name: "desk", planner, subAgents }));
  return (await world.run("go")).map(brief);
}

const judge = (name = "judge"): Speaker => new Speaker(name, {}, { escalate: true });

describe("LoopPlanner", () => {
  it("runs its agents in order, as many times as it may", async () => {
    verifies("planners:loop:cycles", "planners:loop:max-cycles", "limits:loop-planner-cycles");
    expect(await runOf(2, new Speaker("a"), new Speaker("b"))).toEqual(["a: a", "b: b", "a: a", "b: b"]);
    expect(await runOf(3, new Speaker("a"))).toEqual(["a: a", "a: a", "a: a"]);
    expect(await runOf(1, new Speaker("a"), new Speaker("b"))).toEqual(["a: a", "b: b"]);
  });

  it("is done after an agent that escalates", async () => {
    verifies("planners:loop:escalate");
    expect(await runOf(5, new Speaker("a"), judge(), new Speaker("b"))).toEqual(["a: a", "judge: judge"]);
  });

  it("finds an escalation that is not the newest event", async () => {
    verifies("planners:loop:escalate");
    const row = new SequentialAgent({
      name: "row",
      subAgents: [judge(), new Speaker("clerk")],
      afterAgentCallback: () => modelContent("more"),
    });
    const planner = new LoopPlanner({ maxCycles: 3 });
    const desk = new PlannerAgent({ name: "desk", planner, subAgents: [row, new Speaker("b")] });
    const world = await createAgentWorld(desk);
    expect((await world.run("go")).map(brief)).toEqual(["judge: judge", "clerk: clerk", "row: more"]);
  });

  it("is ended by the tool exit_loop", async () => {
    const critic = new LlmAgent({
      name: "critic",
      model: new ScriptedModel(["not yet", functionCallResponse("exit_loop"), "unreached"]),
      tools: [new ExitLoopTool()],
    });
    expect(await runOf(5, new Speaker("a"), critic)).toEqual([
      "a: a",
      "critic: not yet",
      "a: a",
      "critic: exit_loop({})",
      expect.stringContaining("critic: exit_loop ->"),
    ]);
  });

  it("is not ended by an escalation that ends a loop inside it", async () => {
    const loop = new LoopAgent({ name: "loop", subAgents: [judge("inner")], maxIterations: 3 });
    const planned = new PlannerAgent({
      name: "planned",
      planner: new LoopPlanner({ maxCycles: 3 }),
      subAgents: [judge("deep")],
    });
    expect(await runOf(2, loop, planned)).toEqual(["inner: inner", "deep: deep", "inner: inner", "deep: deep"]);
  });

  it("is done without agents", () => {
    expect(new LoopPlanner({ maxCycles: 3 }).firstAction(createPlanning([]))).toEqual({ kind: "Done" });
  });

  it.each([0, -1, 1.5, Number.NaN, undefined, "3"])("refuses %s cycles: the number must be given", (maxCycles) => {
    verifies("limits:defaults:loop-planner-cycles");
    // Plain JavaScript can pass anything.
    expect(() => new LoopPlanner({ maxCycles: maxCycles as number })).toThrow(
      /^new LoopPlanner: maxCycles must be an integer of at least 1, not/,
    );
  });

  it.each<JsonObject>([{}, { cycle: 0 }, { cycle: 0.5, next: 1 }, { cycle: 0, next: null }])(
    "refuses the stored plan %j",
    (plan) => {
      const context = createPlanning([new Speaker("a")], { plan });
      expect(() => new LoopPlanner({ maxCycles: 3 }).nextAction(context)).toThrow(/cannot be continued: plan\./);
    },
  );
});
