import { parseJson, readJson } from "#kit/schema/read-json.ts";
import type { Static } from "#kit/schema/shape.ts";
import { createEvent, type Event } from "./event.ts";
import { createEventActions, type EventActions } from "./event-actions.ts";
import { type ACTIONS, EVENT } from "./event-table.ts";
import { joinMoved } from "./wire-event.ts";

/**
 * Reads an event from its JSON text, member names in camelCase or snake_case. The time may be in seconds or
 * milliseconds; null members count as absent; unknown members are kept. Throws `MALFORMED_JSON` and `INVALID_FIELD`,
 * which names the member.
 */
export function eventFromJson(json: string): Event {
  return readEvent(parseJson(json, "The event"));
}

/** Reads an event from a parsed value at the path. The value is changed in place, so no other code may use it. */
export function readEvent(value: unknown, path = ""): Event {
  const { cacheMetadata, ...event } = readJson(EVENT, value, path);
  return createEvent(joinMoved({ ...event, actions: toActions(event.actions) }, cacheMetadata));
}

function toActions({ endInvocation, ...actions }: Static<typeof ACTIONS> = {}): EventActions {
  const endOfAgent = actions.endOfAgent ?? endInvocation;
  return createEventActions({
    ...actions,
    ...(endOfAgent !== undefined && { endOfAgent }),
    ...(actions.deletedArtifactIds && { deletedArtifactIds: [...new Set(actions.deletedArtifactIds)] }),
  });
}
