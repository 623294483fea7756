import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { assertHeadsRequest, type JournalHead } from "#kit/sessions/journal-head.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import { NetworkSessionStore } from "#ports/sessions/network/network-session-store.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionLimits } from "#ports/sessions/session-limits.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import type { IdlePage, ListIdleRequest } from "#ports/tenants/idle-sessions.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { OwnedSessions } from "./owned-sessions.ts";
import { SessionAttempts } from "./session-attempts.ts";
import { readJournalHeads } from "./session-lists.ts";
import { removeEvents } from "./session-removal.ts";
import type { PostgresVersion } from "./session-rows.ts";

export interface PostgresSessionStoreOptions {
  readonly database: PostgresDatabase;
  /**
   * Decides whether leases have expired, as in every store: the clocks of several processes with one database must
   * differ by much less than the length of a lease.
   */
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly limits?: SessionLimits | undefined;
  readonly storage?: StorageLimits | undefined;
  /** Waits between attempts when writers compete for one session. */
  readonly sleep?: Sleep | undefined;
  /** How many sessions' heads are remembered, so that a run's appends need no reads. */
  readonly maxRememberedSessions?: number | undefined;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
}

/** A commit takes about a millisecond. */
const MAX_PAUSE_MS = 25;

/**
 * Sessions, runs and leases in Postgres. `begin` is one statement that reads and one that writes; `append` and `finish`
 * are one statement in the process that began the run, which other sessions share.
 */
export class PostgresSessionStore extends NetworkSessionStore<PostgresVersion> {
  readonly #database: PostgresDatabase;
  readonly #content: SessionContent;

  constructor(options: PostgresSessionStoreOptions) {
    const { database, sealer, clock = systemClock, ids = new UuidV7Generator() } = options;
    const content = new SessionContent(sealer);
    const attempts = new SessionAttempts(database, content);
    const owned = new OwnedSessions(database, content, clock);
    super({
      ...options,
      clock,
      ids,
      maxPauseMs: MAX_PAUSE_MS,
      database: {
        attempt: () => attempts.attempt(),
        inTurn: (session, work) => attempts.inTurn(session, work),
        ownedSessions: (owner) => owned.sessions(owner),
        ownedItems: (owner, place) => owned.items(owner, place),
        deleteStates: async (owner) => {
          await owned.deleteStates(owner);
          await removeEvents(database);
        },
        beginDeletion: (owner) => owned.beginDeletion(owner),
        endDeletion: (owner) => owned.endDeletion(owner),
        listDeletions: () => owned.listDeletions(),
      },
    });
    this.#database = database;
    this.#content = content;
  }

  /**
   * The first page also removes what is left of sessions whose deletion a killed process has begun: nothing else names
   * them. A role that may only read, such as an import's, is answered without that.
   */
  override async listIdleSessions(request: ListIdleRequest): Promise<IdlePage> {
    if (request.pageToken === undefined) await removeEvents(this.#database).catch(() => undefined);
    return super.listIdleSessions(request);
  }

  /** Reads neither states nor requests. */
  override async getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    assertHeadsRequest(sessions);
    return sessions.length === 0 ? [] : readJournalHeads(this.#database, sessions, this.#content);
  }
}
