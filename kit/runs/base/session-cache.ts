import { getHeapStatistics } from "node:v8";
import { changesPast, type Event } from "#kit/events/event.ts";
import { type StoredEvent, toPastEvent } from "#kit/events/event-record.ts";
import { PromptHistory } from "#kit/history/prompt-history.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import type { SessionSnapshot } from "#kit/sessions/run-journal.ts";
import { type Session, type SessionKey, sessionKey } from "#kit/sessions/session.ts";

/** A session as this runner caches it between runs: parsed events and the prompts built from them. */
export interface CachedSession {
  readonly session: Session;
  readonly history: PromptHistory;
  /** Distinguishes this session from a deleted one with the same key. */
  incarnation: string;
  /** Length of the events' JSON, in characters. */
  size: number;
  /** Whether the store lacks the session's history start: the next write stores it. */
  needsHistoryStart: boolean;
  /** Whether events are needed that were left out when the session was read. */
  lacksRewound: boolean;
}

const LARGEST_DEFAULT = 64 * 1024 * 1024;
const SHARE_OF_HEAP = 1 / 32;
const KEEP_MS = 150_000;

/** The default size of the cache, in characters: a share of the heap that this process may have. */
export function defaultCacheSize(): number {
  return Math.min(LARGEST_DEFAULT, Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP));
}

/**
 * Caches the sessions that this runner has read, bounded by the size of their events' JSON; the least recently used is
 * dropped first, and any that no run has used for five minutes. An entry may be out of date: the journal returns the
 * missing events at the start of each run, and refuses writes that are based on old ones.
 */
export class SessionCache {
  /** The least recently used first. */
  readonly #entries = new Map<string, CachedSession>();
  /** The entries that nobody has used since the last round of the timer. */
  #unused = new Set<CachedSession>();
  readonly #maxSize: number;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxSize = defaultCacheSize()) {
    this.#maxSize = maxSize;
  }

  /** Removes the entry and returns it: only one run at a time may change it. */
  take(key: SessionKey): CachedSession | undefined {
    return this.#take(nameOf(key));
  }

  #take(name: string): CachedSession | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    this.#unused.delete(entry);
    this.#size -= entry.size;
    return entry;
  }

  /** Caches the entry without its state, which is read again at the start of each run. */
  put(entry: CachedSession): void {
    entry.session.state = {};
    const name = nameOf(entry.session);
    this.#take(name);
    this.#entries.set(name, entry);
    this.#size += entry.size;
    if (this.#size > this.#maxSize) this.#dropOldest();
    this.#timer ??= setInterval(() => this.#dropUnused(), KEEP_MS).unref();
  }

  #dropUnused(): void {
    for (const [name, entry] of this.#entries) if (this.#unused.has(entry)) this.#take(name);
    this.#unused = new Set(this.#entries.values());
    if (this.#unused.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #dropOldest(): void {
    for (const name of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.#take(name);
    }
  }
}

/** Brings the cached session up to date with the journal's snapshot. */
export function updateCached(
  known: CachedSession | undefined,
  key: SessionKey,
  snapshot: SessionSnapshot,
): CachedSession {
  const cached = known === undefined || snapshot.complete ? createCachedSession(key, snapshot.events) : known;
  for (const record of snapshot.events) {
    const event = toPastEvent(record);
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

/** Records an event that changes earlier ones (a rewind or a summary), so that the stored history start is out of date. */
export function noteChangedPast(cached: CachedSession, event: Event): void {
  cached.needsHistoryStart = true;
  if (isBounded(cached) && changesMissing(event, cached.history.historyStart)) cached.lacksRewound = true;
}

/** Whether events that were left out may be needed again, or may have been rewound. */
function changesMissing({ actions: { compaction } }: Event, { from, earlier }: HistoryStart): boolean {
  if (compaction?.startSequence === undefined || compaction.endSequence === undefined) return true;
  return compaction.keptSequences?.some((sequence) => sequence < from && !earlier.includes(sequence)) === true;
}

/** Whether events were left out when the session was read. */
export function isBounded({ history }: CachedSession): boolean {
  return history.historyStart.from > 1;
}

function createCachedSession(key: SessionKey, events: readonly StoredEvent[]): CachedSession {
  const session: Session = { ...sessionKey(key), state: {}, events: [], lastUpdateTime: 0, revision: 0 };
  const history = new PromptHistory(session.events, boundOf(events));
  return { session, history, incarnation: "", size: ENTRY_SIZE, needsHistoryStart: false, lacksRewound: false };
}

/** Finds where the gaps in the sequences end. */
function boundOf(events: readonly StoredEvent[]): HistoryStart {
  let first = events.length - 1;
  while (events[first - 1]?.sequence === (events[first]?.sequence ?? 0) - 1) first -= 1;
  return { from: events[first]?.sequence ?? 1, earlier: events.slice(0, first).map(({ sequence }) => sequence) };
}

/** Overhead of an entry, so that many empty sessions are bounded too. */
const ENTRY_SIZE = 2048;

function nameOf({ tenantId, appName, userId, id }: SessionKey): string {
  // Identifiers contain no control characters.
  return tenantKey(`${appName}\n${userId}\n${id}`, tenantId);
}
