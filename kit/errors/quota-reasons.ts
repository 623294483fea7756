import type { ReasonEntry } from "./reason-entry.ts";

/** Why something has no room under the operator's quotas. */
export const QUOTA_REASONS = {
  QUOTA_EXCEEDED: {
    code: "RESOURCE_EXHAUSTED",
    meaning:
      "A quota of the caller's API key, user, app or tenant is used up. `details.limit` and `details.scope` name it, `details.retryAfterSeconds` has the time until it has room again. Quotas of stored data have no such time: delete sessions.",
  },
  QUOTA_UNAVAILABLE: {
    code: "UNAVAILABLE",
    meaning:
      "What is left of a quota cannot be read now, and the operator's file demands that nothing is used without it. Nothing was done; try again.",
  },
  MODEL_WITHOUT_PRICE: {
    code: "FAILED_PRECONDITION",
    meaning:
      "The model has no price, and the operator's file demands one for runs under a budget of money. The operator has to add the price.",
  },
} as const satisfies Record<string, ReasonEntry>;
