import { textOf } from "#kit/events/content.ts";
import { type Event, finalResponse } from "#kit/events/event.ts";

/** Whether the event is a final response as defined by `finalResponse`, or requests credentials. */
export function isFinalResponse(event: Event): boolean {
  return finalResponse(event) || Object.keys(event.actions.requestedAuthConfigs).length > 0;
}

/** The text of the event's parts that are not thoughts, joined; empty if there is none. */
export function stringifyContent(event: Pick<Event, "content">): string {
  return textOf(event.content);
}

/** Whether a part of the event is a thought. */
export function hasThoughts({ content }: Pick<Event, "content">): boolean {
  return content?.parts?.some((part) => part.thought === true) === true;
}

/** A copy of the event without its thoughts; the event itself if it has no parts. */
export function pruneThoughts(event: Event): Event {
  if (event.content?.parts === undefined) return event;
  return {
    ...event,
    content: { ...event.content, parts: event.content.parts.filter((part) => part.thought !== true) },
  };
}
