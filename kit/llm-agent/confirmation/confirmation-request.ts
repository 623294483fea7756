import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { CALL_ID_PREFIX, CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/**
 * The question to the user: a long-running call of the framework for each call that has to be confirmed, with the call
 * as the model made it. Undefined if the answering event requests no confirmation.
 */
export function confirmationRequest(
  context: InvocationContext,
  answer: Event,
  calls: readonly { readonly part: Part }[],
): Event | undefined {
  const requested = answer.actions.requestedToolConfirmations;
  const parts: Part[] = [];
  const longRunningToolIds: string[] = [];
  for (const { part } of calls) {
    const { functionCall } = part;
    const id = functionCall?.id;
    if (id === undefined || !Object.hasOwn(requested, id)) continue;
    const confirmationId = CALL_ID_PREFIX + context.services.ids.next();
    const { name = "", args = {} } = functionCall ?? {};
    // A requested confirmation is plain JSON data of a tool.
    const toolConfirmation = requested[id] as unknown as JsonObject;
    const question = { originalFunctionCall: { id, name, args }, toolConfirmation };
    parts.push({ functionCall: { id: confirmationId, name: CONFIRMATION_CALL, args: question } });
    longRunningToolIds.push(confirmationId);
  }
  if (parts.length === 0) return undefined;
  return context.createEvent({ content: { role: "model", parts }, longRunningToolIds });
}
