import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";

/** Events of short messages and answers, in turn. */
export function historyEvent(index: number): Event {
  const isUser = index % 2 === 0;
  return createEvent({
    id: `event-${index}`,
    invocationId: `turn-${Math.floor(index / 2)}`,
    author: isUser ? "user" : "bench",
    timestamp: 1_700_000_000_000 + index,
    content: isUser ? userContent("and what now?") : modelContent("ok"),
  });
}
