import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import { type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import type { ToolConfirmation } from "#kit/events/event-actions.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import { isSameCall, namesCall, readDecision, readOriginalCall } from "./read-answer.ts";

/**
 * What an answer of the user is checked against: only the session's own events. They bind a confirmation to the
 * session, and so to its user, to the agent, and to the call's id, tool and arguments.
 */
export interface AnsweredHistory {
  /** The events before the answer, without rewound ones. */
  readonly events: readonly Event[];
  readonly agentName: string;
  /** Whether the app has an agent of that name. */
  readonly hasAgent: (name: string) => boolean;
}

export type CheckedAnswer =
  /** The call that the user decided on, as the model made it. */
  | { readonly kind: "decided"; readonly part: Part; readonly confirmation: ToolConfirmation }
  /** The user decided on it before, and whether it ran then is unknown. */
  | { readonly kind: "lost"; readonly part: Part }
  | { readonly kind: "refused"; readonly error: PlatformError }
  /** It answers a question of another agent, or no question of the framework. */
  | { readonly kind: "foreign" };

/** A confirmation is valid once, for one call, and only if the agent itself wrote the call and the question. */
export function checkAnswer(history: AnsweredHistory, response: FunctionResponse): CheckedAnswer {
  const questions = questionsOf(history.events, response.id);
  const [question] = questions;
  if (question === undefined) {
    if (response.name !== CONFIRMATION_CALL) return { kind: "foreign" };
    return refused("CONFIRMATION_UNKNOWN", response, "this session asked for no such confirmation");
  }
  const { author } = question.event;
  if (author !== history.agentName) {
    if (history.hasAgent(author)) return { kind: "foreign" };
    return refused("CONFIRMATION_UNKNOWN", response, `the agent "${author}" that asked for it is not there any more`);
  }
  const call = readOriginalCall(question.call.args);
  const part = call === undefined ? undefined : originalPart(history.events.slice(0, question.index), call, author);
  if (part === undefined || questions.length > 1 || isRenamed(response) || !isAbout(response, call))
    return refused("CONFIRMATION_MISMATCH", response, "it is not about the call that was asked about");
  const confirmation = readDecision(response);
  if (confirmation === undefined)
    return refused("CONFIRMATION_MALFORMED", response, 'it has to say {"confirmed": true} or {"confirmed": false}');
  const since = history.events.slice(question.index + 1);
  if (isAnswered(since, call?.id, author))
    return refused("CONFIRMATION_ALREADY_USED", response, "it was answered before, and an answer counts once");
  if (isDecided(since, response.id)) return { kind: "lost", part };
  return { kind: "decided", part, confirmation };
}

interface Question {
  readonly index: number;
  readonly event: Event;
  readonly call: FunctionCall;
}

/**
 * Questions of that id, newest first. Only the framework's own: events of the user are no questions, and a call of that
 * name by a model is not marked as long-running.
 */
function questionsOf(events: readonly Event[], id: string | undefined): readonly Question[] {
  const questions: Question[] = [];
  if (id === undefined) return questions;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.author === USER_AUTHOR || event.longRunningToolIds?.includes(id) !== true)
      continue;
    for (const { functionCall: call } of event.content?.parts ?? [])
      if (call?.id === id && call.name === CONFIRMATION_CALL) questions.push({ index, event, call });
  }
  return questions;
}

/** The newest call of that id, if the agent made it with these arguments and its tool asked for a confirmation. */
function originalPart(events: readonly Event[], call: FunctionCall, agentName: string): Part | undefined {
  let isRequested = false;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.author !== agentName) continue;
    isRequested ||= Object.hasOwn(event.actions.requestedToolConfirmations, call.id ?? "");
    const part = event.content?.parts?.find(({ functionCall }) => functionCall?.id === call.id);
    if (part !== undefined) return isRequested && isSameCall(part.functionCall, call) ? part : undefined;
  }
  return undefined;
}

function isRenamed({ name }: FunctionResponse): boolean {
  return name !== undefined && name !== CONFIRMATION_CALL;
}

function isAbout(response: FunctionResponse, call: FunctionCall | undefined): boolean {
  return !namesCall(response) || isSameCall(readOriginalCall(response.response), call);
}

function isAnswered(since: readonly Event[], callId: string | undefined, agentName: string): boolean {
  return since.some((event) => event.author === agentName && functionResponses(event).some(({ id }) => id === callId));
}

function isDecided(since: readonly Event[], confirmationId: string | undefined): boolean {
  return since.some(
    (event) =>
      event.author === USER_AUTHOR &&
      functionResponses(event).some((answer) => answer.id === confirmationId && readDecision(answer) !== undefined),
  );
}

function refused(reason: ErrorReason, { id = "" }: FunctionResponse, problem: string): CheckedAnswer {
  const message = `The answer to confirmation "${id}" was refused: ${problem}. Nothing ran.`;
  return { kind: "refused", error: new PlatformError(reason, message, { details: { confirmationId: id } }) };
}
