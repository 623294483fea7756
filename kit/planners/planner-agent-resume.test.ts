import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Decide, run, ScriptedPlanner, Speaker } from "#test/helpers/planners/scripted-planner.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { CutWorld } from "#test/helpers/worlds/cut-runs.ts";
import type { Planner } from "./planner.ts";
import { PlannerAgent } from "./planner-agent.ts";

const speakers = (...names: readonly string[]): readonly Speaker[] => names.map((name) => new Speaker(name));

function desk(planner: Planner, names: readonly string[] = ["a", "b"], maxIterations = 100): PlannerAgent {
  return new PlannerAgent({ name: "desk", planner, subAgents: speakers(...names), maxIterations });
}

describe("a planner agent whose turn is resumed", () => {
  it("restores the whole plan, with the changes of steps that stored no event", async () => {
    verifies("planners:state");
    const plans: JsonObject[] = [];
    const look: Decide = ({ plan }) => {
      plans.push(plan);
      return { kind: "Done" };
    };
    const aim: Decide = (context) => ({ ...run("b")(context), plan: { aim: { of: ["b"] } } });
    const skip: Decide = () => ({ kind: "NoOp", plan: { skipped: true } });
    const createPlanner = (): Planner => new ScriptedPlanner(run("a"), aim, skip, run("a"), look);
    const world = new CutWorld(() => desk(createPlanner()));
    await world.run("go", [{ write: 3, when: "after" }]);
    const plan = { position: 4, aim: { of: ["b"] }, skipped: true };
    expect(plans).toEqual([plan, plan]);
  });

  it("does not initialise its planner again", async () => {
    let inits = 0;
    const createPlanner = (): Planner =>
      Object.assign(new ScriptedPlanner(run("a"), run("b")), { init: () => ++inits });
    const world = new CutWorld(() => desk(createPlanner()));
    await world.run("go", [{ write: 1, when: "after" }]);
    expect([inits, (await world.events()).map(brief)]).toEqual([1, ["user: go", "a: a", "b: b"]]);
  });

  it("counts the actions before the cut", async () => {
    const endless: Planner = {
      firstAction: ({ findAgent }) => ({ kind: "RunAgents", agents: [findAgent("a")] }),
      nextAction: ({ findAgent }) => ({ kind: "RunAgents", agents: [findAgent("a")] }),
    };
    const world = new CutWorld(() => desk(endless, ["a"], 4));
    await world.run("go", [
      { write: 2, when: "after" },
      { write: 1, when: "after" },
    ]);
    expect((await world.events()).map(brief)).toEqual(["user: go", ...Array.from({ length: 4 }, () => "a: a")]);
  });

  it("fails clearly if it was changed so that its plan cannot be continued", async () => {
    const agents = [
      desk(new ScriptedPlanner(run("a"), run("b"))),
      new PlannerAgent({ name: "desk", planner: new ScriptedPlanner(run("c"), run("c")), subAgents: speakers("c") }),
    ];
    const world = new CutWorld(() => agents.shift() ?? desk(new ScriptedPlanner()));
    // The first agent is part of the turn by its mark alone: the changed app has no agent of that name.
    await world.run("go", [{ write: 1, when: "after" }]);
    expect((await world.record())?.error?.reason).toBe("PLAN_INVALID");
    expect((await world.events()).map(brief).at(-1)).toBe(
      'desk: ! PLAN_INVALID: The stored plan of agent "desk" cannot be continued: it runs the agent "a", which is not a sub-agent. The agent was changed during the turn: send the message again.',
    );
  });
});
