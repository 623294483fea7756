import type { Content } from "#kit/events/content.ts";
import { type Event, finalResponse, functionCalls, USER_AUTHOR } from "#kit/events/event.ts";
import type { Invocation, InvocationEvent } from "../eval-set.ts";

/**
 * Creates the record of one turn from its events, the user's among them. The last answer is the final response. Its
 * event stays in the list with the usage of its model call, but without the content.
 */
export function invocationOfEvents(userContent: Content, events: readonly Event[]): Invocation {
  const own = events.filter((event) => event.partial !== true && event.author !== USER_AUTHOR);
  const last = own.findLast((event) => isAnswer(event) && hasText(event)) ?? own.findLast(isAnswer);
  const first = events[0];
  return {
    ...(first !== undefined && { invocationId: first.invocationId, creationTimestamp: first.timestamp / 1000 }),
    userContent,
    finalResponse: last?.content && last.content,
    intermediateData: { invocationEvents: own.filter(isRecorded).map((event) => toInvocationEvent(event, last)) },
  };
}

function isAnswer(event: Event): boolean {
  return finalResponse(event) && (event.content?.parts?.length ?? 0) > 0;
}

function hasText({ content }: Event): boolean {
  return content?.parts?.some(({ text, thought }) => text !== undefined && text !== "" && thought !== true) ?? false;
}

/** Whether the event has content or the results of a search. Other events are not part of a recorded turn. */
function isRecorded({ content, groundingMetadata }: Event): boolean {
  const parts = content?.parts ?? [];
  return (
    groundingMetadata !== undefined ||
    parts.some((part) => part.functionCall || part.functionResponse || part.text || part.inlineData)
  );
}

function toInvocationEvent(event: Event, last: Event | undefined): InvocationEvent {
  const { author, content, groundingMetadata, usageMetadata, modelVersion } = event;
  const isKept = event !== last || functionCalls(event).length > 0;
  return {
    author,
    content: isKept && content !== undefined ? content : undefined,
    groundingMetadata,
    usageMetadata,
    modelVersion,
  };
}
