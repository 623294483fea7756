import type { BaseAgent } from "#kit/core/base-agent.ts";
import { Type } from "#kit/schema/shape.ts";
import type { Planner } from "./planner.ts";
import type { PlannerAction } from "./planner-action.ts";
import { linksInOrder, type PlannerDescription } from "./planner-description.ts";
import type { PlanningContext } from "./planning-context.ts";
import { readPlan } from "./read-plan.ts";

const SequentialPlan = Type.Object({
  /** Index of the next agent. */
  next: Type.Integer({ minimum: 0 }),
});

/** Runs the sub-agents one at a time, in order. */
export class SequentialPlanner implements Planner {
  describe(availableAgents: readonly BaseAgent[]): PlannerDescription {
    return { name: "SequentialPlanner", links: linksInOrder(availableAgents) };
  }

  firstAction(context: PlanningContext): PlannerAction {
    return runAgent(context, 0);
  }

  nextAction(context: PlanningContext): PlannerAction {
    return runAgent(context, readPlan(context, SequentialPlan).next);
  }
}

function runAgent({ availableAgents }: PlanningContext, index: number): PlannerAction {
  const agent = availableAgents[index];
  return agent === undefined ? { kind: "Done" } : { kind: "RunAgents", agents: [agent], plan: { next: index + 1 } };
}
