import { createEvent as createCompleteEvent, type Event, type EventInput } from "#kit/events/event.ts";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";

const ids = new UuidV7Generator();

/** An event of which any member may be absent. */
export type CreateEventParams = Partial<Omit<EventInput, "actions">> & { readonly actions?: Partial<EventActions> };

/**
 * Creates an event. An absent `id` is generated, an absent `timestamp` is the current time, absent actions are empty,
 * and an absent `invocationId` or `author` is the empty text. Agents set both; `context.createEvent` does it for them.
 */
export function createEvent(params: CreateEventParams = {}): Event {
  const { id = ids.next(), invocationId = "", author = "", timestamp = systemClock.now(), actions, ...rest } = params;
  return createCompleteEvent({ ...rest, id, invocationId, author, timestamp, actions: createEventActions(actions) });
}
