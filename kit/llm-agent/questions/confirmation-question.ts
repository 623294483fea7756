import type { ToolConfirmation } from "#kit/events/event-actions.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { QuestionKind } from "./question-kind.ts";
import { readDecision } from "./read-answer.ts";

/** Asks whether a call may run. */
export const CONFIRMATION_QUESTION: QuestionKind<ToolConfirmation> = {
  callName: CONFIRMATION_CALL,
  noun: "confirmation",
  reasons: {
    unknown: "CONFIRMATION_UNKNOWN",
    mismatch: "CONFIRMATION_MISMATCH",
    malformed: "CONFIRMATION_MALFORMED",
    alreadyUsed: "CONFIRMATION_ALREADY_USED",
  },
  expected: '{"confirmed": true} or {"confirmed": false}',
  requestsOf: (actions) => actions.requestedToolConfirmations,
  // A requested confirmation is plain JSON data of a tool.
  toArgs: (request, call) => ({ originalFunctionCall: call, toolConfirmation: request as unknown as JsonObject }),
  readAnswer: (response) => {
    const confirmation = readDecision(response);
    return confirmation === undefined ? undefined : { kind: "confirmation", confirmation };
  },
};
