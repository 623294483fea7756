import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { Awaitable } from "#kit/core/context/plugin-chains.ts";
import type { PlannerAction } from "./planner-action.ts";
import type { PlannerDescription } from "./planner-description.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Decides which sub-agents a `PlannerAgent` runs, and in which order. One planner serves many turns at the same time, on
 * several runners: it keeps nothing of a turn in its own fields. It stores what it needs later in the `plan` of its
 * actions and reads it from the context.
 *
 * `BasePlanner` is unrelated: it makes the model of one LLM agent plan before it acts.
 */
export interface Planner {
  /** Set by planners that end when an agent below escalates: a loop around the `PlannerAgent` then continues. */
  readonly catchesEscalation?: boolean;
  /** Called when a `PlannerAgent` is created. Throws `INVALID_FIELD` for sub-agents that it cannot plan. */
  checkAgents?(availableAgents: readonly BaseAgent[]): void;
  /** For listings and drawings; without it the planner has no name there, and no links. */
  describe?(availableAgents: readonly BaseAgent[]): PlannerDescription;
  /**
   * Called once, before the first action of a turn; not again for a turn that is resumed. An error that it throws fails
   * the run.
   */
  init?(context: PlanningContext): void;
  /** The first action of a turn. */
  firstAction(context: PlanningContext): Awaitable<PlannerAction>;
  /** Called when all agents of the last action have ended, and immediately after `NoOp`. */
  nextAction(context: PlanningContext): Awaitable<PlannerAction>;
}
