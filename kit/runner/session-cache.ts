import { fromEventRecord } from "../events/event-record.ts";
import { PromptHistory } from "../flow/prompt-history.ts";
import type { SessionSnapshot } from "../sessions/run-journal.ts";
import { type Session, type SessionKey, sessionKey } from "../sessions/session.ts";

/** A session as this runner holds it between runs: parsed events and the prompts made of them. */
export interface CachedSession {
  readonly session: Session;
  readonly history: PromptHistory;
  /** Tells this session from an earlier one of the same key. */
  incarnation: string;
  /** Length of the events' JSON, in characters. */
  size: number;
}

const DEFAULT_MAX_SIZE = 32 * 1024 * 1024;

/**
 * Sessions this runner has read, bounded by the size of their events' JSON; the one used longest ago goes first. It never has to be
 * right: the journal says at the begin of each run what is missing, and refuses writes that follow from something old.
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
  const cached = known === undefined || snapshot.complete ? createCachedSession(key) : known;
  for (const record of snapshot.events) {
    cached.session.events.push(fromEventRecord(record));
    cached.size += record.json.length;
  }
  cached.session.state = { ...snapshot.state };
  cached.session.revision = snapshot.revision;
  cached.incarnation = snapshot.incarnation;
  cached.session.lastUpdateTime = snapshot.lastUpdateTime;
  return cached;
}

function createCachedSession(key: SessionKey): CachedSession {
  const session: Session = { ...sessionKey(key), state: {}, events: [], lastUpdateTime: 0, revision: 0 };
  return { session, history: new PromptHistory(session.events), incarnation: "", size: ENTRY_SIZE };
}

/** What an entry costs besides its events, so that many empty sessions are bounded too. */
const ENTRY_SIZE = 2048;

function nameOf({ appName, userId, id }: SessionKey): string {
  // Identifiers hold no control characters.
  return `${appName}\n${userId}\n${id}`;
}
