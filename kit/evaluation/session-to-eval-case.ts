import type { JsonObject } from "#kit/platform/json.ts";
import type { Content, Part } from "../events/content.ts";
import { type Event, finalResponse, functionCalls, functionResponses, USER_AUTHOR } from "../events/event.ts";
import type { Session } from "../sessions/session.ts";
import type { EvalCase, Invocation } from "./eval-set.ts";

/**
 * The session's conversation as a case to repeat: one turn for each invocation that the user began, with the answer,
 * the tools used, and the agents' intermediate texts. Partial events are left out. The case starts with the given state.
 */
export function sessionToEvalCase(
  session: Pick<Session, "appName" | "userId" | "events">,
  options: { readonly evalId: string; readonly nowMs: number; readonly state?: JsonObject },
): EvalCase {
  const byInvocation = Map.groupBy(
    session.events.filter((event) => event.partial !== true),
    (event) => event.invocationId,
  );
  return {
    evalId: options.evalId,
    conversation: [...byInvocation.values()].flatMap((events) => toInvocation(events) ?? []),
    sessionInput: { appName: session.appName, userId: session.userId, state: options.state ?? {} },
    creationTimestamp: options.nowMs / 1000,
  };
}

function toInvocation(events: readonly Event[]): Invocation | undefined {
  const question = events.find((event) => event.author === USER_AUTHOR && hasParts(event));
  if (question?.content === undefined) return undefined;
  const answers = events.filter((event) => event.author !== USER_AUTHOR);
  const last =
    answers.findLast((event) => finalResponse(event) && textParts(event).length > 0) ?? answers.findLast(isFinalData);
  const intermediate = answers.filter((event) => event !== last && textParts(event).length > 0);
  return {
    invocationId: question.invocationId,
    userContent: question.content,
    finalResponse: last?.content && answerOf(last.content),
    intermediateData: {
      toolUses: events.flatMap(functionCalls),
      toolResponses: events.flatMap(functionResponses),
      intermediateResponses: intermediate.map((event) => [event.author, textParts(event)] as const),
    },
    creationTimestamp: question.timestamp / 1000,
  };
}

/** A last event without text that is an answer, such as a picture. */
function isFinalData(event: Event): boolean {
  return (
    finalResponse(event) &&
    hasParts(event) &&
    functionCalls(event).length === 0 &&
    functionResponses(event).length === 0
  );
}

/** Without thoughts and calls, which the user does not see. */
function answerOf(content: Content): Content {
  const parts =
    content.parts?.filter((part) => part.thought !== true && !part.functionCall && !part.functionResponse) ?? [];
  return { ...content, parts };
}

function textParts(event: Event): readonly Part[] {
  return (
    event.content?.parts?.filter((part) => part.text !== undefined && part.text !== "" && part.thought !== true) ?? []
  );
}

function hasParts(event: Event): boolean {
  return (event.content?.parts?.length ?? 0) > 0;
}
