import { escalatesTo } from "#kit/agents/turn-signals.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { checkOptions, integer, required } from "#kit/schema/check-options.ts";
import { Type } from "#kit/schema/shape.ts";
import type { Planner } from "./planner.ts";
import type { PlannerAction } from "./planner-action.ts";
import { linksInOrder, type PlannerDescription } from "./planner-description.ts";
import type { PlanningContext } from "./planning-context.ts";
import { readPlan } from "./read-plan.ts";

/** Options of a `LoopPlanner`. */
export interface LoopPlannerOptions {
  /** The number of passes over the sub-agents, from 1. */
  readonly maxCycles: number;
}

const LoopPlan = Type.Object({
  /** Passes that have ended. */
  cycle: Type.Integer({ minimum: 0 }),
  /** Index of the next agent of this pass. */
  next: Type.Integer({ minimum: 0 }),
});

/**
 * Runs the sub-agents in order, again and again, until one of their events escalates or `maxCycles` is reached. The
 * agent that escalates still finishes its turn. A loop agent around this one continues.
 */
export class LoopPlanner implements Planner {
  readonly catchesEscalation = true;
  readonly maxCycles: number;

  /** Throws `INVALID_FIELD` unless `maxCycles` is a whole number from 1. */
  constructor(options: LoopPlannerOptions) {
    checkOptions("new LoopPlanner", options, { maxCycles: required(integer(1)) });
    this.maxCycles = options.maxCycles;
  }

  describe(availableAgents: readonly BaseAgent[]): PlannerDescription {
    const [first] = availableAgents;
    // A single agent has no link.
    const round = first === undefined || availableAgents.length === 1 ? availableAgents : [...availableAgents, first];
    return { name: "LoopPlanner", links: linksInOrder(round) };
  }

  firstAction(context: PlanningContext): PlannerAction {
    return this.#runNext(context, { cycle: 0, next: 0 });
  }

  nextAction(context: PlanningContext): PlannerAction {
    const { agent } = context.invocationContext;
    if (context.stepEvents.some((event) => escalatesTo(agent, event))) return { kind: "Done" };
    return this.#runNext(context, readPlan(context, LoopPlan));
  }

  #runNext({ availableAgents }: PlanningContext, { cycle, next }: { cycle: number; next: number }): PlannerAction {
    const isPastEnd = next >= availableAgents.length;
    const [ended, index] = isPastEnd ? [cycle + 1, 0] : [cycle, next];
    const agent = availableAgents[index];
    if (agent === undefined || ended >= this.maxCycles) return { kind: "Done" };
    return { kind: "RunAgents", agents: [agent], plan: { cycle: ended, next: index + 1 } };
  }
}
