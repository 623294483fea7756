import type { EventRecord, StoredEvent } from "#kit/events/event-record.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Event__Output, Event as EventMessage } from "#proto/fairlead/common/v1/Event.ts";
import { batches, checkJsonBytes, fromJsonBytes, fromTimestamp, toJsonBytes, toTimestamp } from "./messages.ts";

/** The most bytes that a message needs for an event besides its JSON: ids and authors have at most 256 bytes each. */
const ENVELOPE_BYTES = 1024;

/** The event's JSON is sent unchanged: nothing is serialised again. */
export function toEventMessage(event: EventRecord & { readonly sequence?: number }): EventMessage {
  const { id, invocationId, author, timestamp, partial, sequence, json, stateDelta, outside } = event;
  return {
    id,
    invocationId,
    author,
    timestamp: toTimestamp(timestamp),
    partial: partial === true ? partial : undefined,
    sequence,
    json: Buffer.from(json),
    outside: outside === true ? outside : undefined,
    stateDeltaJson: stateDelta && toJsonBytes(stateDelta),
  };
}

export function fromEventMessage(message: Event__Output): EventRecord {
  const { id, invocationId, author, timestamp, partial, json, stateDeltaJson } = message;
  // The JSON is stored unchanged and parsed only by readers.
  checkJsonBytes(json, "The event");
  return {
    id,
    invocationId,
    author,
    timestamp: fromTimestamp(timestamp),
    partial: partial || undefined,
    json: json.toString(),
    stateDelta: stateDeltaJson && fromJsonBytes<JsonObject>(stateDeltaJson, "The state delta"),
  };
}

export function fromStoredEventMessage(message: Event__Output): StoredEvent {
  return {
    ...fromEventMessage(message),
    sequence: message.sequence,
    ...(message.outside && { outside: true }),
  };
}

/** Groups of events that fit into a message each. */
export function eventBatches(events: Iterable<EventRecord>): Generator<EventMessage[], void, undefined> {
  return batches(messagesOf(events), bytesOf);
}

function* messagesOf(events: Iterable<EventRecord>): Generator<EventMessage, void, undefined> {
  for (const event of events) yield toEventMessage(event);
}

function bytesOf({ json, stateDeltaJson }: EventMessage): number {
  return ENVELOPE_BYTES + (json?.length ?? 0) + (stateDeltaJson?.length ?? 0);
}
