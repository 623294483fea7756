import { join } from "node:path";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import { operationsInPlace } from "#ports/sessions/operation-runner.ts";
import { RunOperations } from "#ports/sessions/run-operations.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionLimits } from "#ports/sessions/session-limits.ts";
import { TabularSessionStore } from "#ports/sessions/tabular-session-store.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { SqliteFile } from "../database/sqlite-file.ts";
import { WriteQueue } from "../database/write-queue.ts";
import type { SqliteHead } from "./session-rows.ts";
import { SESSION_SCHEMA } from "./session-schema.ts";
import { SqliteSessionTables } from "./sqlite-session-tables.ts";

export interface SqliteSessionStoreOptions {
  /** Created if it is missing. No other process may write to it at the same time. */
  readonly folder: string;
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly limits?: SessionLimits | undefined;
  readonly storage?: StorageLimits | undefined;
  /** How many sessions, and users' shared states, are cached in memory. */
  readonly maxCachedSessions?: number | undefined;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
}

const FILE_NAME = "sessions.sqlite";
const DEFAULT_CACHED_SESSIONS = 10_000;

/** Sessions, runs and leases in one SQLite file. Acknowledged writes survive `kill -9` and a power loss. */
export class SqliteSessionStore extends TabularSessionStore<SqliteHead> implements AsyncDisposable {
  readonly #queue: WriteQueue;

  constructor(options: SqliteSessionStoreOptions) {
    const {
      folder,
      clock = systemClock,
      ids = new UuidV7Generator(),
      maxCachedSessions = DEFAULT_CACHED_SESSIONS,
    } = options;
    const file = new SqliteFile({ file: join(folder, FILE_NAME), schema: SESSION_SCHEMA });
    const tables = new SqliteSessionTables(file.database, maxCachedSessions, new SessionContent(options.sealer));
    const queue = new WriteQueue(file, {
      onRollback: () => tables.forget(),
      // With at most one active run, a sync that blocks the event loop delays only this caller: the run's stream has
      // nothing to send before the step's answer.
      isQuiet: () => tables.activeRuns <= 1,
    });
    const { limits, storage } = options;
    const operations = new RunOperations(tables, { clock, ids, limits, storage });
    super({ runner: operationsInPlace(queue, operations), ids, limits });
    this.#queue = queue;
  }

  /** How many transactions were committed since the start. */
  get transactions(): number {
    return this.#queue.transactions;
  }

  /** Commits the queued writes, then closes the file; later calls fail with `STORE_UNAVAILABLE`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]();
  }
}
