import type { StoredEvent } from "#kit/events/event-record.ts";
import type { EventPage, EventPageRequest } from "./session-tables.ts";

/** An event that a store has not read yet, because it is longer than the request allows. */
export interface UnreadEvent {
  readonly kind: "unread";
  readonly characters: number;
}

/**
 * Builds the page of a request from events that are read one by one, and reads no event after the page's last one.
 * `events` are those after `afterRevision`, in order, up to the newest one.
 */
export function cutEventPage(
  events: Iterable<StoredEvent | UnreadEvent>,
  {
    afterRevision,
    afterTimestamp,
    limit = Number.POSITIVE_INFINITY,
    maxCharacters,
    maxEventCharacters = Number.POSITIVE_INFINITY,
  }: EventPageRequest,
): EventPage {
  const page: StoredEvent[] = [];
  let characters = 0;
  let last = afterRevision;
  for (const event of events) {
    const isUnread = "kind" in event;
    const length = isUnread ? event.characters : event.json.length;
    const isWanted = isUnread || event.timestamp >= afterTimestamp;
    if (isWanted && (isUnread || length > maxEventCharacters))
      return { events: page, hasMore: true, last, longEventCharacters: length };
    last = event.sequence;
    if (!isWanted) continue;
    page.push(event);
    characters += length;
    if (page.length >= limit || characters >= maxCharacters) return { events: page, hasMore: true, last };
  }
  return { events: page, hasMore: false, last };
}

/** The first items, until there are as many as one page has or they reach its size. */
export function pageBySize<Item>(
  items: Iterable<Item>,
  sizeOf: (item: Item) => number,
  {
    limit = Number.POSITIVE_INFINITY,
    most = Number.POSITIVE_INFINITY,
  }: { limit?: number | undefined; most?: number | undefined },
): { readonly page: readonly Item[]; readonly hasMore: boolean } {
  const page: Item[] = [];
  let size = 0;
  for (const item of items) {
    if (page.length >= limit || size >= most) return { page, hasMore: true };
    page.push(item);
    if (Number.isFinite(most)) size += sizeOf(item);
  }
  return { page, hasMore: false };
}
