import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { createPlanning, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { PlannerAgent } from "./planner-agent.ts";
import { SequentialPlanner } from "./sequential-planner.ts";

describe("SequentialPlanner", () => {
  it("runs its agents one at a time, in order, in each turn from the first", async () => {
    verifies("planners:sequential", "what-the-service-does:kit-planners");
    const subAgents = ["a", "b", "c"].map((name) => new Speaker(name));
    const world = await createAgentWorld(
      new PlannerAgent({ name: "desk", planner: new SequentialPlanner(), subAgents }),
    );
    for (const message of ["one", "two"])
      expect((await world.run(message)).map(brief)).toEqual(["a: a", "b: b", "c: c"]);
  });

  it("is done without agents", () => {
    expect(new SequentialPlanner().firstAction(createPlanning([]))).toEqual({ kind: "Done" });
  });

  it.each<JsonObject>([{}, { next: "1" }, { next: -1 }, { next: 1.5 }])("refuses the stored plan %j", (plan) => {
    const context = createPlanning([new Speaker("a")], { plan });
    expect(() => new SequentialPlanner().nextAction(context)).toThrow(
      /^The stored plan of agent "helper" cannot be continued: plan.next .*send the message again\.$/,
    );
  });
});
