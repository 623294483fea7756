import { describe, expect, it } from "vitest";
import { createPlanning, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { ParallelPlanner } from "./parallel-planner.ts";
import { PlannerAgent } from "./planner-agent.ts";

describe("ParallelPlanner", () => {
  it("runs all agents in one step, each on its branch, and is done", async () => {
    verifies("planners:parallel:runs-all", "planners:parallel:completes");
    const subAgents = ["a", "b", "c"].map((name) => new Speaker(name));
    const world = await createAgentWorld(new PlannerAgent({ name: "desk", planner: new ParallelPlanner(), subAgents }));
    const events = await world.run("go");
    expect(events.map((event) => `${event.branch} ${brief(event)}`).toSorted()).toEqual([
      "desk.a a: a",
      "desk.b b: b",
      "desk.c c: c",
    ]);
    expect(events[0]?.resumption?.agentState).toEqual({ desk: { iteration: 1, agents: ["a", "b", "c"], plan: {} } });
  });

  it("is done without agents", () => {
    expect(new ParallelPlanner().firstAction(createPlanning([]))).toEqual({ kind: "Done" });
  });
});
