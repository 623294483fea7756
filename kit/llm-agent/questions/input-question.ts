import type { ToolInputRequest } from "#kit/events/event-actions.ts";
import { INPUT_CALL } from "#kit/events/reserved-calls.ts";
import { present } from "#kit/platform/members.ts";
import type { QuestionKind } from "./question-kind.ts";

/** Asks for data that a tool needs. The arguments have the names that ADK's developer UI reads. */
export const INPUT_QUESTION: QuestionKind<ToolInputRequest> = {
  callName: INPUT_CALL,
  noun: "question",
  reasons: {
    unknown: "INPUT_UNKNOWN",
    mismatch: "INPUT_MISMATCH",
    malformed: "INPUT_MALFORMED",
    alreadyUsed: "INPUT_ALREADY_USED",
  },
  expected: "an object as its response",
  requestsOf: (actions) => actions.requestedInputs,
  toArgs: ({ message, responseSchema, payload }, call) =>
    present({
      originalFunctionCall: call,
      message,
      response_schema: responseSchema,
      payload,
    }),
  readAnswer: ({ response }, request) =>
    response === undefined ? undefined : { kind: "input", input: { request, response } },
};
