import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/**
 * A planner's progress in one turn of its agent, as JSON. It is stored on the turn's events, so that any runner can
 * continue the turn.
 */
export type Plan = JsonObject;

/** The next action of the `PlannerAgent`. */
export type PlannerAction =
  /** The turn ends. */
  | (Decision & { readonly kind: "Done" })
  /** The turn ends with an event that has this text. */
  | (Decision & { readonly kind: "DoneWithResult"; readonly text: string })
  /** Nothing is run; the planner is asked for its next action. */
  | (Decision & { readonly kind: "NoOp" })
  /** These sub-agents are run: one on the branch of the turn, several at the same time, each on a branch of its own. */
  | (Decision & { readonly kind: "RunAgents"; readonly agents: readonly BaseAgent[] });

/** The members that every action can have. */
export interface Decision {
  /** The members of the plan that change; the others keep their values. */
  readonly plan?: Plan;
  /**
   * Members of an event that is stored before the action is carried out, with the changes of the plan: `{}` is enough.
   * For decisions that users should see, or that cost something to make again. Without it the changes are stored with
   * the first event of the agents that are run.
   */
  readonly event?: DecisionEvent;
}

/**
 * Other members are not stored. Agents do not see text that is a thought (`{ text, thought: true }`) in their prompts.
 */
export type DecisionEvent = Partial<
  Pick<
    Event,
    "content" | "actions" | "errorCode" | "errorMessage" | "usageMetadata" | "modelVersion" | "customMetadata"
  >
>;
