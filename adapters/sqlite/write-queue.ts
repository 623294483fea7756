import type { DatabaseSync } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StepRunner } from "#kit/sessions/tables/session-tables.ts";
import { rollBack, toStoreError } from "./sqlite-database.ts";

interface WaitingStep {
  /**
   * Runs the step and returns a function that settles its promise after the commit. Throws if the transaction must be
   * rolled back.
   */
  execute(): () => void;
  reject(error: unknown): void;
}

/**
 * Runs the writes of one turn of the event loop in one transaction: a sync to disk then costs the same for fifty
 * sessions as for one. A step that throws a `PlatformError` has written nothing, because steps check before they write,
 * and does not affect the others. If a step fails otherwise, the transaction is rolled back and each of its steps runs
 * again in a transaction of its own. A promise settles only after its commit.
 */
export class WriteQueue implements StepRunner {
  readonly #database: DatabaseSync;
  readonly #onRollback: () => void;
  readonly #begin;
  readonly #commit;
  #waiting: WaitingStep[] = [];
  #transactions = 0;
  /** A failed transaction could not be rolled back. */
  #needsRollback = false;

  /** `onRollback` is called after steps that ran have been rolled back. */
  constructor(database: DatabaseSync, onRollback: () => void) {
    this.#database = database;
    this.#onRollback = onRollback;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
  }

  /** How many transactions were committed. */
  get transactions(): number {
    return this.#transactions;
  }

  async read<T>(step: () => T): Promise<T> {
    try {
      return step();
    } catch (error) {
      throw toStoreError(error);
    }
  }

  write<T>(step: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const execute = (): (() => void) => {
        try {
          const value = step();
          return () => resolve(value);
        } catch (error) {
          if (!(error instanceof PlatformError)) throw error;
          return () => reject(error);
        }
      };
      this.#waiting.push({ execute, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits the queued steps immediately. */
  flush(): void {
    const steps = this.#waiting;
    if (steps.length === 0) return;
    this.#waiting = [];
    this.#transact(steps);
  }

  #transact(steps: readonly WaitingStep[]): void {
    const settles: (() => void)[] = [];
    let begun = false;
    try {
      if (this.#needsRollback) this.#undo();
      this.#begin.run();
      begun = true;
      for (const step of steps) settles.push(step.execute());
      this.#commit.run();
    } catch (error) {
      this.#rollBack();
      const canRunSingly = begun && settles.length < steps.length && steps.length > 1 && this.#database.isOpen;
      // One step failed: the others must not fail with it, so each gets a transaction of its own.
      if (canRunSingly) for (const step of steps) this.#transact([step]);
      else for (const step of steps) step.reject(toStoreError(error));
      return;
    }
    this.#transactions += 1;
    for (const settle of settles) settle();
  }

  #undo(): void {
    rollBack(this.#database);
    this.#needsRollback = false;
  }

  #rollBack(): void {
    try {
      this.#undo();
    } catch {
      // The steps are rejected with the first error. The next transaction tries to roll this one back before it begins.
      this.#needsRollback = true;
    }
    this.#onRollback();
  }
}
