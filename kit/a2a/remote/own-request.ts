import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { CALL_ID_PREFIX, CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

/** Marks an event that asks the user for the credential for calls of the remote. No peer can set it. */
export const OWN_REQUEST_KEY = "a2a:credential";

/** Why the agent asks: the remote has refused a call, or its task waits for the credential. */
export type RequestReason = "refused" | "task";

type Place = Pick<InvocationContext, "session" | "agent" | "branch">;

/** The call that asks the user for the credential. */
export function requestPart(authConfig: JsonObject, ids: IdGenerator): { readonly id: string; readonly part: Part } {
  const id = CALL_ID_PREFIX + ids.next();
  return { id, part: { functionCall: { id, name: CREDENTIAL_CALL, args: { functionCallId: id, authConfig } } } };
}

/** The agent's requests for a credential by the ids of their calls. */
export function ownRequests({ session, agent, branch }: Place): ReadonlyMap<string, JsonObject> {
  const requests = new Map<string, JsonObject>();
  for (const event of session.events) {
    if (event.author !== agent.name || event.branch !== branch || reasonOf(event) === undefined) continue;
    for (const { id = "", args = {} } of functionCalls(event)) {
      const { authConfig } = args;
      if (event.longRunningToolIds?.includes(id) && isJsonObject(authConfig)) requests.set(id, authConfig);
    }
  }
  return requests;
}

/** Undefined for an event that does not ask for the remote's credential. */
export function reasonOf({ customMetadata, outside }: Event): RequestReason | undefined {
  const reason = isJsonObject(customMetadata) && outside !== true ? customMetadata[OWN_REQUEST_KEY] : undefined;
  return reason === "refused" || reason === "task" ? reason : undefined;
}

/** The events without requests for credentials after refusals, and without the answers to them: the remote takes no part in these. */
export function conversationEvents(place: Place, events: readonly Event[]): readonly Event[] {
  const isRequest = (event: Event) =>
    event.author === place.agent.name && event.branch === place.branch && reasonOf(event) === "refused";
  const asked = new Set(place.session.events.filter(isRequest).flatMap((event) => event.longRunningToolIds ?? []));
  if (asked.size === 0) return events;
  const isAnswer = (event: Event) => {
    const responses = functionResponses(event);
    return event.author === USER_AUTHOR && responses.length > 0 && responses.every(({ id }) => asked.has(id ?? ""));
  };
  return events.filter((event) => !isRequest(event) && !isAnswer(event));
}
