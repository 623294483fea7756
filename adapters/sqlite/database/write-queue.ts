import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Committed, StepRunner } from "#ports/sessions/operation-runner.ts";
import { toStoreError } from "./sqlite-database.ts";
import type { SqliteFile } from "./sqlite-file.ts";
import { type Outcome, StepTransactions, type WriteStep } from "./step-transactions.ts";

/** A short run has two steps: its start and its end. */
const MAX_QUIET_OUTCOMES = 2;

/**
 * Reasons of errors that a step may throw after some of its writes, because it encrypts and decrypts content between
 * them.
 */
const THROWN_BETWEEN_WRITES: ReadonlySet<string> = new Set(["CONTENT_KEY_UNAVAILABLE", "CONTENT_UNREADABLE"]);

/** About 1500 pages of log if each step has a transaction of its own, and fewer if they share transactions. */
const STEPS_PER_CHECKPOINT = 256;

export interface WriteQueueOptions {
  /** Called after steps that ran have been rolled back. */
  readonly onRollback?: () => void;
  /**
   * Whether only the caller of a step would be delayed if its sync blocked the event loop; never by default. In that
   * case a sync on this thread is faster and cheaper than one on another thread.
   */
  readonly isQuiet?: () => boolean;
}

/**
 * Runs the writes of one turn of the event loop in one transaction, and syncs it to disk on another thread. Writes that
 * arrive during a sync form the next transaction: a sync costs the same for fifty sessions as for one. A step that
 * throws a `PlatformError` has written nothing, because steps check before they write, and does not affect the others.
 * Errors of content, and all other errors, roll the step back; the others then run in transactions of their own.
 *
 * A promise settles only after the sync of all that its step has seen, reads included: no answer contains what a power
 * loss can undo. The exception is `commit`, whose caller gets its value before the sync. A transaction of such steps
 * alone is synced one turn of the event loop later, with what is written until then.
 *
 * After a failed sync it is unknown what the disk has, and a repeated sync may succeed without writing it.
 * All further calls then fail until the file is opened again.
 */
export class WriteQueue implements StepRunner, AsyncDisposable {
  readonly #file: SqliteFile;
  readonly #transactions: StepTransactions;
  readonly #isQuiet: () => boolean;
  #waiting: WriteStep[] = [];
  /** The outcomes that wait for the sync in progress; undefined while all commits are durable. */
  #unsynced: Outcome[] | undefined;
  /** Settles when the queue has been emptied; undefined while it is empty. */
  #work: Promise<void> | undefined;
  #stepsSinceCheckpoint = 0;
  #failure: PlatformError | undefined;

  constructor(file: SqliteFile, { onRollback = () => {}, isQuiet = () => false }: WriteQueueOptions = {}) {
    this.#file = file;
    this.#transactions = new StepTransactions(file.database, onRollback);
    this.#isQuiet = isQuiet;
  }

  /** How many transactions were committed. */
  get transactions(): number {
    return this.#transactions.committed;
  }

  async read<T>(step: () => T): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const value = step();
      const unsynced = this.#unsynced;
      if (unsynced === undefined) return value;
      return await new Promise<T>((resolve, reject) => unsynced.push({ settle: () => resolve(value), reject }));
    } catch (error) {
      throw toStoreError(error);
    }
  }

  write<T>(step: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(() => {
        const value = step();
        return { settle: () => resolve(value), reject };
      }, reject);
    });
  }

  commit<T>(step: () => T): Promise<Committed<T>> {
    return new Promise((resolve, reject) => {
      this.#add(() => {
        const value = step();
        const durable = Promise.withResolvers<void>();
        durable.promise.catch(() => {});
        return {
          committed: () => resolve({ value, durable: durable.promise }),
          settle: durable.resolve,
          reject: durable.reject,
        };
      }, reject);
    });
  }

  /** Commits the queued steps, then closes the file; later calls fail with `STORE_UNAVAILABLE`. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#work !== undefined) await this.#work;
    await this.#file[Symbol.asyncDispose]();
  }

  #add(run: () => Outcome, reject: (error: unknown) => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    const execute = (): Outcome => {
      try {
        return run();
      } catch (error) {
        if (!(error instanceof PlatformError) || THROWN_BETWEEN_WRITES.has(error.reason)) throw error;
        return { settle: () => reject(error), reject };
      }
    };
    this.#waiting.push({ execute, reject });
    this.#work ??= this.#empty();
  }

  /** Never rejects: errors are those of the steps. */
  async #empty(): Promise<void> {
    while (this.#waiting.length > 0 || this.#unsynced !== undefined) {
      await endOfTurn();
      const steps = this.#waiting;
      this.#waiting = [];
      const outcomes = this.#transactions.run(steps);
      this.#stepsSinceCheckpoint += steps.length;
      const deferred = this.#unsynced;
      if (deferred === undefined && outcomes.every(({ committed }) => committed !== undefined)) {
        if (outcomes.length > 0) this.#unsynced = outcomes;
        continue;
      }
      deferred?.push(...outcomes);
      await this.#sync(deferred ?? outcomes);
      if (this.#stepsSinceCheckpoint < STEPS_PER_CHECKPOINT) continue;
      this.#stepsSinceCheckpoint = 0;
      await this.#file.checkpoint();
    }
    this.#work = undefined;
  }

  async #sync(outcomes: Outcome[]): Promise<void> {
    this.#unsynced = outcomes;
    try {
      if (outcomes.length <= MAX_QUIET_OUTCOMES && this.#isQuiet()) this.#file.syncNow();
      else await this.#file.sync();
    } catch (error) {
      await this.#fail(error, outcomes);
      return;
    } finally {
      this.#unsynced = undefined;
    }
    for (const outcome of outcomes) outcome.settle();
  }

  async #fail(cause: unknown, unsynced: readonly Outcome[]): Promise<void> {
    const failure = new PlatformError(
      "STORE_UNAVAILABLE",
      "The disk failed to store a write, which may be lost. Check the disk, then restart the server.",
      { cause },
    );
    this.#failure = failure;
    for (const { reject } of [...unsynced, ...this.#waiting.splice(0)]) reject(failure);
    try {
      await this.#file.abandon();
    } catch {
      // The file is not used again in either case.
    }
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
