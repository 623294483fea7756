import { describe, expect, it } from "vitest";
import type { FunctionCall, FunctionResponse } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import { event } from "#test/helpers/worlds/history-events.ts";
import { type CheckedAnswer, checkAnswer } from "./check-answer.ts";

const CALL: FunctionCall = { id: "c", name: "pay", args: { to: "Ada" } };
const AUTH_CONFIG = { authScheme: { type: "apiKey" }, credentialKey: "k" };

interface Kind {
  readonly callName: string;
  readonly requested: Partial<EventActions>;
  /** The arguments of the question about `CALL`. */
  readonly args: NonNullable<FunctionCall["args"]>;
  readonly response: NonNullable<FunctionResponse["response"]>;
}

const originalFunctionCall = { ...CALL } as Required<Pick<FunctionCall, "id" | "name" | "args">>;
const OTHER = { ...originalFunctionCall, args: { to: "Eve" } };
const KINDS: Readonly<Record<string, Kind>> = {
  CONFIRMATION: {
    callName: "adk_request_confirmation",
    requested: { requestedToolConfirmations: { c: { confirmed: false } } },
    args: { originalFunctionCall },
    response: { confirmed: true },
  },
  INPUT: {
    callName: "adk_request_input",
    requested: { requestedInputs: { c: { message: "?" } } },
    args: { originalFunctionCall, message: "?" },
    response: { size: 3 },
  },
  CREDENTIAL: {
    callName: "adk_request_credential",
    requested: { requestedAuthConfigs: { c: AUTH_CONFIG } },
    args: { functionCallId: "c", authConfig: AUTH_CONFIG },
    response: AUTH_CONFIG,
  },
};

const called = (author: string, call = CALL): Event => event(author, [{ functionCall: call }]);
const requested = (author: string, { requested: actions }: Kind): Event =>
  event(author, [], { actions: { ...createEventActions(), ...actions } });
const asked = (author: string, { callName, args }: Kind, id = "q"): Event =>
  event(author, [{ functionCall: { id, name: callName, args } }], { longRunningToolIds: [id] });
const answered = (author: string, functionResponse: FunctionResponse): Event => event(author, [{ functionResponse }]);

function check(events: readonly Event[], response: FunctionResponse): CheckedAnswer {
  return checkAnswer({ events, agentName: "clerk", hasAgent: (name) => name === "other" }, response);
}

const outcome = (checked: CheckedAnswer): string => (checked.kind === "refused" ? checked.error.reason : checked.kind);

describe.each(Object.entries(KINDS))("an answer of the kind %s", (name, kind) => {
  const history = [called("clerk"), requested("clerk", kind), asked("clerk", kind)];
  const response: FunctionResponse = { id: "q", name: kind.callName, response: kind.response };
  const result = { id: "c", name: "pay", response: {} };

  it.each<[string, string, readonly Event[], FunctionResponse]>([
    ["decides the agent's call", "decided", history, response],
    [
      "to a call whose id another agent used too",
      "decided",
      [...history.slice(0, 2), called("other"), asked("clerk", kind)],
      response,
    ],
    ["to a call that only another agent made", `${name}_MISMATCH`, [called("other"), ...history.slice(1)], response],
    [
      "to a request that only another agent made",
      `${name}_MISMATCH`,
      [called("clerk"), requested("other", kind), asked("clerk", kind)],
      response,
    ],
    [
      "to a call that was made after the question",
      `${name}_MISMATCH`,
      [...history.slice(1), called("clerk")],
      response,
    ],
    ["to a question of another agent", "foreign", [...history.slice(0, 2), asked("other", kind)], response],
    [
      "to a question of an agent that is gone",
      `${name}_UNKNOWN`,
      [...history.slice(0, 2), asked("gone", kind)],
      response,
    ],
    ["to a question of the user", `${name}_UNKNOWN`, [...history.slice(0, 2), asked(USER_AUTHOR, kind)], response],
    ["to no question", `${name}_UNKNOWN`, history.slice(0, 2), response],
    ["to a question that was asked twice", `${name}_MISMATCH`, [...history, asked("clerk", kind)], response],
    ["under another name", `${name}_MISMATCH`, history, { ...response, name: "pay" }],
    ["without content", `${name}_MALFORMED`, history, { id: "q", name: kind.callName }],
    ["to a call that has its result", `${name}_ALREADY_USED`, [...history, answered("clerk", result)], response],
    ["to a call of whose id another agent has a result", "decided", [...history, answered("other", result)], response],
    ["that was given before", "lost", [...history, answered(USER_AUTHOR, response)], response],
    [
      "after one for a different call",
      "decided",
      [...history, answered(USER_AUTHOR, { ...response, response: { ...kind.response, originalFunctionCall: OTHER } })],
      response,
    ],
    [
      "after one under another name",
      "decided",
      [...history, answered(USER_AUTHOR, { ...response, name: "pay" })],
      response,
    ],
    [
      "after one that was the second of its message",
      "decided",
      [
        ...history,
        event(USER_AUTHOR, [{ functionResponse: { ...response, name: "pay" } }, { functionResponse: response }]),
      ],
      response,
    ],
    [
      "after one that no run received",
      "decided",
      [...history, { ...answered(USER_AUTHOR, response), outside: true }],
      response,
    ],
    [
      "to another question that was answered",
      "decided",
      [...history, answered(USER_AUTHOR, { ...response, id: "q2" })],
      response,
    ],
  ])("%s: %s", (_title, expected, events, given) => {
    expect(outcome(check(events, given))).toBe(expected);
  });

  it("has the call as its agent made it, also if another agent used the id for another one", () => {
    const foreign = called("other", { id: "c", name: "pay", args: { to: "Eve" } });
    const checked = check([foreign, ...history.slice(0, 2), foreign, asked("clerk", kind)], response);
    expect(checked).toMatchObject({ kind: "decided", part: { functionCall: CALL } });
  });
});

it("an answer to a call of the framework's name that a model made is an answer to no question", () => {
  const { callName, args, response } = KINDS["CONFIRMATION"] ?? expect.unreachable();
  const made = event("clerk", [{ functionCall: { id: "q", name: callName, args } }]);
  expect(outcome(check([called("clerk"), made], { id: "q", name: callName, response }))).toBe("CONFIRMATION_UNKNOWN");
});
