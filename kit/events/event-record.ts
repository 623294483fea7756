import type { JsonObject } from "../platform/json.ts";
import type { Event } from "./event.ts";
import { REMOVED_SENTINEL, TEMP_PREFIX } from "./state-prefixes.ts";
import { fromWireEvent, toWireEvent, type WireEvent } from "./wire-event.ts";

/**
 * An event in the form that is sent and stored: its JSON, serialised once by the runner, and the members that stores
 * and streams need, so that they do not parse the JSON.
 */
export interface EventRecord {
  readonly id: string;
  readonly invocationId: string;
  readonly author: string;
  /** Integer milliseconds since the epoch. */
  readonly timestamp: number;
  readonly partial?: boolean;
  /** One line of JSON: the event for clients and stores, without `temp:` keys. */
  readonly json: string;
  /** The delta to apply with the event, without `temp:` keys; absent if it is empty. */
  readonly stateDelta?: JsonObject;
  /** No run wrote it: it was imported, or appended by a program. Set by the store. */
  readonly outside?: true;
}

/**
 * A record with its position: `sequence` counts a session's durable events from 1 without gaps, and alone determines
 * their order.
 */
export interface StoredEvent extends EventRecord {
  readonly sequence: number;
}

/** One line of JSON: the event for clients, without `temp:` keys. */
export function toEventJson(event: Event): string {
  return JSON.stringify(toWireEvent(toStored(event)));
}

/** Serialises an event for the first and only time. */
export function toEventRecord(event: Event): EventRecord {
  const stored = toStored(event);
  const { id, invocationId, author, timestamp, partial } = stored;
  const stateDelta = stored.actions.stateDelta;
  return {
    id,
    invocationId,
    author,
    timestamp,
    json: JSON.stringify(toWireEvent(stored)),
    partial: partial === true ? partial : undefined,
    stateDelta: !isEmpty(stateDelta) ? stateDelta : undefined,
  };
}

/** The record of an event that no run writes. */
export function toOutsideRecord(event: Event): EventRecord {
  return { ...toEventRecord(event), outside: true };
}

/** As `fromEventRecord`, for runs: the event says whether a run wrote it. */
export function toPastEvent(record: EventRecord): Event {
  const event = fromEventRecord(record);
  return record.outside === true ? { ...event, outside: true } : event;
}

/** The event of a stored record. Throws for a record whose JSON is broken. */
export function fromEventRecord(record: EventRecord): Event {
  return fromRecordJson(record.json);
}

/** The event of a record's JSON, which was written by `toEventRecord`, or checked by the gateway before it was stored. */
export function fromRecordJson(json: string): Event {
  return fromWireEvent(JSON.parse(json) as WireEvent);
}

/**
 * Without `temp:` keys and the mark that only stores set, and with null for a removed key, whose other notation is
 * accepted as input only.
 */
function toStored(event: Event): Event {
  const delta = event.actions.stateDelta;
  let found = event.outside === true;
  for (const key in delta) if (key.startsWith(TEMP_PREFIX) || delta[key] === REMOVED_SENTINEL) found = true;
  if (!found) return event;
  const stateDelta = Object.fromEntries(
    Object.entries(delta)
      .filter(([key]) => !key.startsWith(TEMP_PREFIX))
      .map(([key, value]) => [key, value === REMOVED_SENTINEL ? null : value]),
  );
  const { outside: _, ...rest } = event;
  return { ...rest, actions: { ...event.actions, stateDelta } };
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
