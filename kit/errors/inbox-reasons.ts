import type { ReasonEntry } from "./reason-entry.ts";

/** Why a question to a person is not answered. */
export const INBOX_REASONS = {
  NOT_WAITING: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "The run waits for no answer. `details.answeredBy` names the run that answers it, if one does.",
  },
  INPUT_EXPIRED: {
    code: "DEADLINE_EXCEEDED",
    meaning: "Nobody answered the run's question in the time that its app gives (`inbox`), and the app ends such runs.",
  },
  CLAIMED: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning:
      "Somebody else (`details.claimedBy`) has claimed the entry of the inbox until `details.claimedUntil`. Send `takeOver: true` to answer it, or to claim it, all the same.",
  },
  CLAIMS_OFF: {
    code: "FAILED_PRECONDITION",
    meaning: "This server keeps no claims of the inbox. Set INBOX, for example to `sqlite`.",
  },
} as const satisfies Record<string, ReasonEntry>;
