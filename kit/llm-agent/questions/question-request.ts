import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { EventActions } from "#kit/events/event-actions.ts";
import { CALL_ID_PREFIX } from "#kit/events/reserved-calls.ts";
import { QUESTION_KINDS } from "./question-kinds.ts";

/** Whether a call has asked the user: its turn ends with the question. */
export function asksUser(actions: EventActions): boolean {
  for (const kind of QUESTION_KINDS) for (const _ in kind.requestsOf(actions)) return true;
  return false;
}

/**
 * The questions to the user: a long-running call of the framework for each request of the answering event, with the
 * call that the request is about, as the model made it. Undefined if the event requests nothing.
 */
export function questionRequest(
  context: InvocationContext,
  { actions }: Event,
  calls: readonly { readonly part: Part }[],
): Event | undefined {
  if (!asksUser(actions)) return undefined;
  const parts: Part[] = [];
  const longRunningToolIds: string[] = [];
  for (const { part } of calls) {
    const { id, name = "", args = {} } = part.functionCall ?? {};
    if (id === undefined) continue;
    for (const kind of QUESTION_KINDS) {
      const requests = kind.requestsOf(actions) ?? {};
      if (!Object.hasOwn(requests, id)) continue;
      const questionId = CALL_ID_PREFIX + context.services.ids.next();
      const question = kind.toArgs(requests[id], { id, name, args });
      parts.push({ functionCall: { id: questionId, name: kind.callName, args: question } });
      longRunningToolIds.push(questionId);
    }
  }
  if (parts.length === 0) return undefined;
  return context.createEvent({ content: { role: "model", parts }, longRunningToolIds });
}
