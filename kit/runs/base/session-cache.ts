import { changesPast, type Event } from "#kit/events/event.ts";
import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { PromptHistory } from "#kit/history/prompt-history.ts";
import type { LoadBound } from "#kit/sessions/load-bound.ts";
import type { SessionSnapshot } from "#kit/sessions/run-journal.ts";
import { type Session, type SessionKey, sessionKey } from "#kit/sessions/session.ts";

/** A session as this runner holds it between runs: parsed events and the prompts made of them. */
export interface CachedSession {
  readonly session: Session;
  readonly history: PromptHistory;
  /** Tells this session from an earlier one of the same key. */
  incarnation: string;
  /** Length of the events' JSON, in characters. */
  size: number;
  /** Whether the store lacks the session's load bound: the next write tells it. */
  owesLoadBound: boolean;
  /** Whether what was left out when the session was read is needed since. */
  lacksRewound: boolean;
}

const DEFAULT_MAX_SIZE = 32 * 1024 * 1024;

/**
 * Sessions this runner has read, bounded by the size of their events' JSON; the one used longest ago goes first. It
 * never has to be right: the journal says at the begin of each run what is missing, and refuses writes that follow from
 * something old.
 */
export class SessionCache {
  readonly #entries = new Map<string, CachedSession>();
  readonly #maxSize: number;
  #size = 0;

  constructor(maxSize = DEFAULT_MAX_SIZE) {
    this.#maxSize = maxSize;
  }

  /** Takes the entry out: one run at a time may change it. */
  take(key: SessionKey): CachedSession | undefined {
    return this.#take(nameOf(key));
  }

  #take(name: string): CachedSession | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    this.#size -= entry.size;
    return entry;
  }

  /** Keeps the entry without its state, which every begin of a run reads anew. */
  put(entry: CachedSession): void {
    entry.session.state = {};
    const name = nameOf(entry.session);
    this.#take(name);
    this.#entries.set(name, entry);
    this.#size += entry.size;
    if (this.#size > this.#maxSize) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const name of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.#take(name);
    }
  }
}

/** The session as the journal knows it: what was cached, and what came since. */
export function updateCached(
  known: CachedSession | undefined,
  key: SessionKey,
  snapshot: SessionSnapshot,
): CachedSession {
  const cached = known === undefined || snapshot.complete ? createCachedSession(key, snapshot.events) : known;
  for (const record of snapshot.events) {
    const event = fromEventRecord(record);
    cached.session.events.push(event);
    cached.size += record.json.length;
    if (changesPast(event) && !(snapshot.complete && isBounded(cached))) noteChangedPast(cached, event);
  }
  cached.session.state = { ...snapshot.state };
  cached.session.revision = snapshot.revision;
  cached.incarnation = snapshot.incarnation;
  cached.session.lastUpdateTime = snapshot.lastUpdateTime;
  return cached;
}

/** Takes note of an event that changes what earlier ones mean, and that the session's load bound does not rest on. */
export function noteChangedPast(cached: CachedSession, event: Event): void {
  cached.owesLoadBound = true;
  if (isBounded(cached) && changesMissing(event, cached.history.loadBound)) cached.lacksRewound = true;
}

/** Whether events that were left out may count again, or were rewound. */
function changesMissing({ actions: { compaction } }: Event, { from, earlier }: LoadBound): boolean {
  if (compaction?.startSequence === undefined || compaction.endSequence === undefined) return true;
  return compaction.keptSequences?.some((sequence) => sequence < from && !earlier.includes(sequence)) === true;
}

/** Whether events were left out when the session was read. */
export function isBounded({ history }: CachedSession): boolean {
  return history.loadBound.from > 1;
}

function createCachedSession(key: SessionKey, events: readonly StoredEvent[]): CachedSession {
  const session: Session = { ...sessionKey(key), state: {}, events: [], lastUpdateTime: 0, revision: 0 };
  const history = new PromptHistory(session.events, placesOf(events));
  return { session, history, incarnation: "", size: ENTRY_SIZE, owesLoadBound: false, lacksRewound: false };
}

/** Where the gaps in the sequences end. */
function placesOf(events: readonly StoredEvent[]): LoadBound {
  let first = events.length - 1;
  while (events[first - 1]?.sequence === (events[first]?.sequence ?? 0) - 1) first -= 1;
  return { from: events[first]?.sequence ?? 1, earlier: events.slice(0, first).map(({ sequence }) => sequence) };
}

/** What an entry costs besides its events, so that many empty sessions are bounded too. */
const ENTRY_SIZE = 2048;

function nameOf({ appName, userId, id }: SessionKey): string {
  // Identifiers hold no control characters.
  return `${appName}\n${userId}\n${id}`;
}
