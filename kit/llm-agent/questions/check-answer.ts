import { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
import { type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { askedCallId, CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { GivenAnswer, QuestionKind } from "./question-kind.ts";
import { questionKindOf } from "./question-kinds.ts";
import { isSameCall, namesCall, readOriginalCall } from "./read-answer.ts";

/**
 * The data that a user's answer is checked against: only the session's own events. They bind the answer to the session
 * and its user, to the agent, and to the call's id, tool and arguments.
 */
export interface AnsweredHistory {
  /** The events before the answer, without rewound ones. */
  readonly events: readonly Event[];
  readonly agentName: string;
  /** Whether the app has an agent of that name. */
  readonly hasAgent: (name: string) => boolean;
}

export type CheckedAnswer =
  /** The call that the question was about, as the model made it. */
  | { readonly kind: "decided"; readonly part: Part; readonly answer: GivenAnswer }
  /** The user answered before, and whether the call ran then is unknown. */
  | { readonly kind: "lost"; readonly part: Part }
  | {
      readonly kind: "refused";
      readonly error: PlatformError;
      /** Set if the answer may have left something in the store of credentials. */
      readonly questionId?: string;
    }
  /** It answers a question of another agent, or no question of the framework. */
  | { readonly kind: "foreign" };

/** An answer is valid once, for one call, and only if the agent itself wrote the call and the question. */
export function checkAnswer(history: AnsweredHistory, response: FunctionResponse): CheckedAnswer {
  const questions = questionsOf(history.events, response.id);
  const [question] = questions;
  if (question === undefined) {
    const named = questionKindOf(response.name);
    if (named === undefined) return { kind: "foreign" };
    return refused(named, "unknown", response, `this session asked for no such ${named.noun}`);
  }
  const { kind } = question;
  const { author } = question.event;
  if (author !== history.agentName) {
    if (history.hasAgent(author)) return { kind: "foreign" };
    return refused(kind, "unknown", response, `the agent "${author}" that asked for it is not there any more`);
  }
  const call = readOriginalCall(question.call.args);
  const callId = kind.asksById === true ? askedCallId(question.call) : call?.id;
  const before = history.events.slice(0, question.index);
  const asked = callId === undefined ? undefined : originalCall(before, { callId, call, kind, author });
  if (asked === undefined || questions.length > 1 || !isMeantFor(response, question))
    return refused(kind, "mismatch", response, "it is not about the call that was asked about");
  const answer = kind.readAnswer(response, asked.request);
  if (answer === undefined) return refused(kind, "malformed", response, `it has to say ${kind.expected}`);
  const since = history.events.slice(question.index + 1);
  if (isAnswered(since, callId, author))
    return refused(kind, "alreadyUsed", response, "it was answered before, and an answer counts once");
  if (isDecided(since, question, asked.request)) return { kind: "lost", part: asked.part };
  return { kind: "decided", part: asked.part, answer };
}

interface Question {
  readonly index: number;
  readonly event: Event;
  readonly call: FunctionCall;
  readonly kind: QuestionKind;
}

/**
 * Questions of that id, newest first. Only the framework's own: events of the user and events that no run wrote are no
 * questions, and a call of that name by a model is not marked as long-running.
 */
function questionsOf(events: readonly Event[], id: string | undefined): readonly Question[] {
  const questions: Question[] = [];
  if (id === undefined) return questions;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.author === USER_AUTHOR || event.outside === true) continue;
    if (event.longRunningToolIds?.includes(id) !== true) continue;
    for (const { functionCall: call } of event.content?.parts ?? []) {
      const kind = call?.id === id ? questionKindOf(call.name) : undefined;
      if (call !== undefined && kind !== undefined) questions.push({ index, event, call, kind });
    }
  }
  return questions;
}

interface AskedCall {
  readonly part: Part;
  /** The newest request of the question's kind about the call. */
  readonly request: unknown;
}

interface AskedAbout {
  readonly callId: string;
  /** Absent if the question only has the call's id. */
  readonly call: FunctionCall | undefined;
  readonly kind: QuestionKind;
  readonly author: string;
}

/** The newest call of that id, if the agent made it with these arguments and the kind of question was requested. */
function originalCall(events: readonly Event[], { callId: id, call, kind, author }: AskedAbout): AskedCall | undefined {
  let request: unknown;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.author !== author || event.outside === true) continue;
    const requests = kind.requestsOf(event.actions) ?? {};
    if (request === undefined && Object.hasOwn(requests, id)) request = requests[id];
    const part = event.content?.parts?.find(({ functionCall }) => functionCall?.id === id);
    if (part === undefined) continue;
    const isAsked = request !== undefined && (call === undefined || isSameCall(part.functionCall, call));
    return isAsked ? { part, request } : undefined;
  }
  return undefined;
}

/** Whether the answer has the question's name, if it has one, and its call, if it has a copy of one. */
function isMeantFor(response: FunctionResponse, { kind, call: question }: Question): boolean {
  if (response.name !== undefined && response.name !== kind.callName) return false;
  return !namesCall(response) || isSameCall(readOriginalCall(response.response), readOriginalCall(question.args));
}

function isAnswered(since: readonly Event[], callId: string | undefined, agentName: string): boolean {
  return since.some((event) => event.author === agentName && functionResponses(event).some(({ id }) => id === callId));
}

/**
 * Whether a message of a run has answered the question validly. A refused answer leaves it open. As in `checkAnswers`,
 * only the first answer of a message counts.
 */
function isDecided(since: readonly Event[], question: Question, request: unknown): boolean {
  return since.some((event) => {
    if (event.author !== USER_AUTHOR || event.outside === true) return false;
    const answer = functionResponses(event).find(({ id }) => id === question.call.id);
    return (
      answer !== undefined && isMeantFor(answer, question) && question.kind.readAnswer(answer, request) !== undefined
    );
  });
}

function refused(
  { noun, reasons, callName }: QuestionKind,
  problem: keyof QuestionKind["reasons"],
  { id = "" }: FunctionResponse,
  text: string,
): CheckedAnswer {
  const message = `The answer to ${noun} "${id}" was refused: ${text}. Nothing ran.`;
  const error = new PlatformError(reasons[problem], message, { details: { [`${noun}Id`]: id } });
  return { kind: "refused", error, questionId: callName === CREDENTIAL_CALL ? id : undefined };
}
