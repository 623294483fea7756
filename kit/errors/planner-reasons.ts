import type { ReasonEntry } from "./reason-entry.ts";

/** Why a planner agent cannot plan, or cannot continue its plan. */
export const PLANNER_REASONS = {
  PLANNER_FAILED: {
    code: "INTERNAL",
    meaning: "The planner of an agent threw an error or returned no valid action; the message names agent and method.",
  },
  PLAN_INVALID: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning:
      "A run cannot continue the plan that it had stored, because its agent was changed since. Send the message again.",
  },
  GOAL_UNREACHABLE: {
    code: "FAILED_PRECONDITION",
    meaning:
      "No order of a planner's agents produces its goal: a key that is needed has no agent that writes it, or agents need each other's outputs. The message names the keys and agents.",
  },
  PLAN_FAILED: {
    code: "FAILED_PRECONDITION",
    meaning:
      "A goal-oriented plan ended before its goal: agents did not write their output, and the planner's replan policy allows no further attempt. The event names them.",
  },
} as const satisfies Record<string, ReasonEntry>;
