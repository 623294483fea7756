import type { EventRecord, StoredEvent } from "#kit/events/event-record.ts";
import { APP_PREFIX, REMOVED_SENTINEL, TEMP_PREFIX, USER_PREFIX } from "#kit/events/state-prefixes.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";
import type { SessionScopes } from "./session-tables.ts";

export interface PlacedEvents {
  /** Every given event, with its sequence. */
  readonly stored: readonly StoredEvent[];
  /** Those that are not written yet. */
  readonly fresh: readonly StoredEvent[];
  /** Events that others wrote meanwhile. */
  readonly missed: readonly StoredEvent[];
}

/**
 * Numbers a writer's events after the session's newest. `since` are the session's events after the writer's revision:
 * an event found there by id was stored by an earlier attempt and is not written again.
 */
export function placeEvents(
  events: readonly EventRecord[],
  since: readonly StoredEvent[],
  revision: number,
): PlacedEvents {
  if (since.length === 0 && events.length < 2) {
    const stored = events.map((event) => ({ ...event, sequence: revision + 1 }));
    return { stored, fresh: stored, missed: since };
  }
  const places = new Map(since.map((event) => [event.id, event]));
  const given = new Set<string>();
  const stored: StoredEvent[] = [];
  const fresh: StoredEvent[] = [];
  for (const event of events) {
    let place = places.get(event.id);
    if (place === undefined) {
      place = { ...event, sequence: revision + fresh.length + 1 };
      places.set(event.id, place);
      fresh.push(place);
    }
    given.add(event.id);
    stored.push(place);
  }
  return { stored, fresh, missed: since.filter((event) => !given.has(event.id)) };
}

/** The deltas of all events as one, where later ones win; undefined if there is none. */
export function joinDeltas(events: readonly EventRecord[]): JsonObject | undefined {
  let joined: Record<string, JsonValue> | undefined;
  for (const { stateDelta } of events) {
    if (stateDelta === undefined) continue;
    joined ??= {};
    for (const [key, value] of Object.entries(stateDelta)) setOwn(joined, key, value);
  }
  return joined;
}

/** Bytes of the JSON of events. */
export function bytesOf(events: readonly EventRecord[]): number {
  return events.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}

/** The part of a delta that changes a value; undefined if none does. */
export function effectiveDelta(scopes: SessionScopes, delta: JsonObject): JsonObject | undefined {
  let changed: Record<string, JsonValue> | undefined;
  for (const [key, value] of Object.entries(delta)) {
    if (key.startsWith(TEMP_PREFIX) || !differs(scopes, key, value)) continue;
    changed ??= {};
    setOwn(changed, key, value);
  }
  return changed;
}

function differs({ app, user, session }: SessionScopes, key: string, value: JsonValue): boolean {
  const given = value === REMOVED_SENTINEL ? null : value;
  if (key.startsWith(APP_PREFIX)) return app.differs(key.slice(APP_PREFIX.length), given);
  if (key.startsWith(USER_PREFIX)) return user.differs(key.slice(USER_PREFIX.length), given);
  return session.differs(key, given);
}
