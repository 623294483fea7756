import { PlatformError } from "#kit/errors/platform-error.ts";
import { SessionError } from "#kit/errors/session-errors.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import type { StepRunner } from "#ports/sessions/session-tables.ts";
import type { FirestoreDatabase } from "../database/firestore-database.ts";
import { LostPreconditionError } from "../database/firestore-errors.ts";
import { type FirestoreSessionTables, TombstoneInTheWay } from "./firestore-session-tables.ts";
import { tombstoneWrite } from "./head-document.ts";
import type { HeadMemory } from "./head-memory.ts";
import { commitSession } from "./session-commits.ts";
import { MissingReads, type SessionReads } from "./session-reads.ts";
import { removeSession } from "./session-removal.ts";

export interface FirestoreStepsDependencies {
  readonly database: FirestoreDatabase;
  readonly tables: FirestoreSessionTables;
  readonly reads: SessionReads;
  readonly memory: HeadMemory;
  readonly sleep: Sleep;
  readonly runsParent: string;
  /** The documents that the step needs, read in one call before it runs. */
  readonly prefetch: () => readonly string[];
  /** The documents that it needs if the process remembers the session's head. */
  readonly prefetchIfRemembered: () => readonly string[];
  /** Path of the head that will be written, if that is known in advance. */
  readonly headPath: () => string | undefined;
}

const MAX_ATTEMPTS = 30;
const MAX_READ_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;

/**
 * Runs the steps of one operation: read, decide, and commit under the condition that no document of the decision has
 * changed. If one has changed, the operation reads and decides again, up to 30 times with random pauses; then it fails
 * with `STORE_UNAVAILABLE`. There are no locks and no transactions.
 */
export class FirestoreSteps implements StepRunner {
  readonly #dependencies: FirestoreStepsDependencies;

  constructor(dependencies: FirestoreStepsDependencies) {
    this.#dependencies = dependencies;
  }

  async read<T>(step: () => T): Promise<T> {
    const { tables, reads, prefetch } = this.#dependencies;
    for (let attempt = 1; ; attempt += 1) {
      await this.#prefetch(prefetch);
      const value = await this.#evaluate(step);
      if (!tables.torn || attempt >= MAX_READ_ATTEMPTS) return value;
      reads.clear();
    }
  }

  async write<T>(step: () => T): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const outcome = await this.#attempt(step);
      if (outcome !== undefined) return outcome.value;
      this.#forget();
      if (attempt > 1) await this.#dependencies.sleep(pauseMs(attempt));
    }
    throw new PlatformError("STORE_UNAVAILABLE", "Too many concurrent writers changed this session. Try again.");
  }

  /** Undefined if the step must be decided again. */
  async #attempt<T>(step: () => T): Promise<{ readonly value: T } | undefined> {
    const { tables, memory, prefetch, prefetchIfRemembered } = this.#dependencies;
    const path = this.#dependencies.headPath();
    const remembered = path !== undefined && memory.get(path) !== undefined;
    await this.#prefetch(remembered ? prefetchIfRemembered : prefetch);
    try {
      const value = await this.#evaluate(step);
      const unsure = tables.usedMemory && tables.writes.head === undefined && tables.writes.deleted === undefined;
      if (unsure) return undefined;
      await this.#commit();
      return { value };
    } catch (error) {
      if (error instanceof LostPreconditionError) return undefined;
      if (error instanceof TombstoneInTheWay) {
        await removeSession(this.#dependencies.database, this.#dependencies.runsParent, error.tombstone);
        return undefined;
      }
      // A refusal based on remembered data is not final: the data may be out of date.
      if (tables.usedMemory && error instanceof SessionError) return undefined;
      this.#forget();
      throw error;
    }
  }

  async #evaluate<T>(step: () => T): Promise<T> {
    const { tables, reads } = this.#dependencies;
    for (;;) {
      tables.restart();
      try {
        return step();
      } catch (error) {
        if (!(error instanceof MissingReads)) throw error;
        await reads.load(error);
      }
    }
  }

  async #commit(): Promise<void> {
    const { database, tables, memory, runsParent } = this.#dependencies;
    const { head, deleted } = tables.writes;
    if (deleted !== undefined) {
      memory.forget(deleted.path);
      const write = tombstoneWrite(deleted);
      const [version] = await database.commit([write, ...tables.writes.counts]);
      const fields = { incarnation: deleted.incarnation };
      await removeSession(database, runsParent, { path: deleted.path, version: version ?? {}, fields });
      return;
    }
    if (head !== undefined) memory.set(head, await commitSession(database, tables.writes, head));
    else if (tables.tombstone !== undefined) await removeSession(database, runsParent, tables.tombstone);
  }

  async #prefetch(prefetch: () => readonly string[]): Promise<void> {
    const { reads } = this.#dependencies;
    const missing = prefetch().filter((path) => !reads.has(path));
    if (missing.length > 0) await reads.load({ paths: missing, query: undefined });
  }

  #forget(): void {
    const { reads, memory, tables, headPath } = this.#dependencies;
    reads.clear();
    const path = headPath() ?? tables.writes.head?.path;
    if (path !== undefined) memory.forget(path);
  }
}

/** Random, so that writers that failed at the same time do not repeat at the same time. */
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 2));
}
