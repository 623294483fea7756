import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Event } from "#kit/events/event.ts";
import { type StoredEvent, toOutsideRecord } from "#kit/events/event-record.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { setOwn } from "#kit/sessions/state-delta.ts";
import type { AgentPlatformClient } from "./agent-platform-client.ts";
import { fromSessionEvent, toNanoseconds, toTimestamp } from "./session-event-form.ts";

/** A session of the service. */
export interface ManagedSession {
  readonly name: string;
  readonly state: Readonly<Record<string, JsonValue>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly updateTime: number;
  /** In their order, each event once; empty if they were not read. */
  readonly events: readonly StoredEvent[];
}

/** The session as an append needs it. */
export interface SessionTail {
  readonly session: ManagedSession;
  has(eventId: string): boolean;
  /** The time of the newest event in the order of the service, in nanoseconds. */
  newest(): bigint;
  /** The events after the revision that was asked for. */
  events(): readonly StoredEvent[];
  /** Reads what was appended since. */
  refresh(): Promise<void>;
  /** Adds an event that was appended with this body. */
  add(event: Event, body: JsonObject): void;
}

/** The events of a session that this process has read: with them it reads only newer ones. */
interface Known {
  readonly createTime: string;
  /** Ids with their sequences. */
  readonly places: Map<string, number>;
  newest: bigint;
}

const MAX_KNOWN_SESSIONS = 200;
/** Of longer sessions the ids are not kept, and an append reads all events. */
const MAX_KNOWN_EVENTS = 5000;
const NANOSECONDS = 1_000_000n;

/** Reads sessions and their events, and numbers the events. */
export class ManagedSessionLog {
  readonly #client: AgentPlatformClient;
  readonly #known = new BoundedCache<Known>(MAX_KNOWN_SESSIONS);

  constructor(client: AgentPlatformClient) {
    this.#client = client;
  }

  /** The session without its events; undefined if there is none, or if it belongs to another user. */
  async find(name: string, owner: { readonly userId: string }): Promise<ManagedSession | undefined> {
    const found = await this.#client.find(name);
    return found === undefined || found["userId"] !== owner.userId ? undefined : fromResource(found, []);
  }

  /** The session with all its events. */
  async read(name: string, owner: { readonly userId: string }): Promise<ManagedSession | undefined> {
    const found = await this.#client.find(name);
    if (found === undefined || found["userId"] !== owner.userId) return undefined;
    const known: Known = { createTime: String(found["createTime"]), places: new Map(), newest: 0n };
    const events = await this.#newer(name, known);
    if (events.length <= MAX_KNOWN_EVENTS) this.#known.set(name, known);
    return fromResource(found, events);
  }

  /** The session for an append; `after` is the revision that the caller knows, and none of the events are wanted without it. */
  async readTail(
    name: string,
    owner: { readonly userId: string },
    after = Number.POSITIVE_INFINITY,
  ): Promise<SessionTail | undefined> {
    const cached = this.#known.get(name);
    const found = await this.#client.find(name);
    if (found === undefined || found["userId"] !== owner.userId) return undefined;
    // A session that was created anew has other events.
    const isKnown = cached !== undefined && cached.createTime === found["createTime"] && after >= cached.places.size;
    const known = isKnown ? cached : { createTime: String(found["createTime"]), places: new Map(), newest: 0n };
    const events = [...(await this.#newer(name, known))];
    if (known.places.size <= MAX_KNOWN_EVENTS) this.#known.set(name, known);
    else this.#known.delete(name);
    return {
      session: fromResource(found, []),
      has: (eventId) => known.places.has(eventId),
      newest: () => known.newest,
      events: () => events.filter(({ sequence }) => sequence > after),
      refresh: async () => void events.push(...(await this.#newer(name, known))),
      add: (event, body) => {
        if (known.places.has(event.id)) return;
        known.newest = toNanoseconds(body["timestamp"]);
        known.places.set(event.id, known.places.size + 1);
        events.push({ ...toOutsideRecord(event), sequence: known.places.size });
      },
    };
  }

  /** The user's sessions without their events. */
  async *list(engine: string, userId: string): AsyncGenerator<ManagedSession, void, undefined> {
    const query = { filter: `user_id=${quoted(userId)}` };
    for await (const page of this.#client.list({ path: `${engine}/sessions`, query }, "sessions"))
      for (const found of page) if (found["userId"] === userId) yield fromResource(found, []);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  /** The events after the known ones, which become known. An event that was appended twice counts once. */
  async #newer(name: string, known: Known): Promise<readonly StoredEvent[]> {
    const filter = known.newest === 0n ? undefined : `timestamp>=${quoted(toTimestamp(known.newest))}`;
    const found: { readonly order: bigint; readonly event: Event }[] = [];
    for await (const page of this.#client.list({ path: `${name}/events`, query: { filter } }, "sessionEvents"))
      for (const stored of page)
        found.push({ order: toNanoseconds(stored["timestamp"]), event: fromSessionEvent(stored) });
    found.sort((one, other) => Number(one.order - other.order));
    const events: StoredEvent[] = [];
    for (const { order, event } of found) {
      if (order > known.newest) known.newest = order;
      if (known.places.has(event.id)) continue;
      known.places.set(event.id, known.places.size + 1);
      events.push({ ...toOutsideRecord(event), sequence: known.places.size });
    }
    return events;
  }
}

/** A text in a filter of AIP-160. */
export function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function fromResource(found: JsonObject, events: readonly StoredEvent[]): ManagedSession {
  const { name, sessionState, labels, updateTime, createTime } = found;
  const state: Record<string, JsonValue> = {};
  // A key that was removed can remain without a value.
  for (const [key, value] of Object.entries(isJsonObject(sessionState) ? sessionState : {}))
    if (value !== null) setOwn(state, key, value);
  const texts = Object.entries(isJsonObject(labels) ? labels : {}).filter(
    (label): label is [string, string] => typeof label[1] === "string",
  );
  return {
    name: String(name),
    state,
    labels: Object.fromEntries(texts),
    updateTime: Number(toNanoseconds(updateTime ?? createTime) / NANOSECONDS),
    events,
  };
}
