import type { StoredEvent } from "#kit/events/event-record.ts";
import type { EventPage, EventPageRequest } from "./session-tables.ts";

/**
 * Builds the page of a request from events that are read one by one, and reads exactly one event more than it returns.
 * `events` are those after `afterRevision`, in order, up to the newest one.
 */
export function cutEventPage(
  events: Iterable<StoredEvent>,
  { afterRevision, afterTimestamp, limit = Number.POSITIVE_INFINITY, maxCharacters }: EventPageRequest,
): EventPage {
  const page: StoredEvent[] = [];
  let characters = 0;
  let last = afterRevision;
  for (const event of events) {
    if (page.length > 0 && (page.length >= limit || characters >= maxCharacters))
      return { events: page, hasMore: true, last };
    last = event.sequence;
    if (event.timestamp < afterTimestamp) continue;
    page.push(event);
    characters += event.json.length;
  }
  return { events: page, hasMore: false, last };
}
