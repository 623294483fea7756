import type { DatabaseSync } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StepRunner } from "#kit/sessions/tables/session-tables.ts";
import { rollBack, toStoreError } from "./sqlite-database.ts";

interface WaitingStep {
  /** Runs the step and returns how to settle its promise after the commit. Throws what must undo the transaction. */
  execute(): () => void;
  reject(error: unknown): void;
}

/**
 * Runs the writes of one turn of the event loop in one transaction: a sync to disk then costs the same for fifty sessions
 * as for one. A step that refuses by `PlatformError` has written nothing, as steps check before they write, and does not disturb
 * the others.
 */
export class WriteQueue implements StepRunner {
  readonly #database: DatabaseSync;
  readonly #onRollback: () => void;
  readonly #begin;
  readonly #commit;
  #waiting: WaitingStep[] = [];
  #transactions = 0;
  /** A transaction could not be undone when it failed. */
  #isStuck = false;

  /** `onRollback` is called when steps that ran have been undone. */
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

  /** Commits what waits, now. */
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
      if (this.#isStuck) this.#undo();
      this.#begin.run();
      begun = true;
      for (const step of steps) settles.push(step.execute());
      this.#commit.run();
    } catch (error) {
      this.#rollBack();
      const poisoned = begun && settles.length < steps.length && steps.length > 1 && this.#database.isOpen;
      // One step failed: its neighbours must not fail with it, so each gets a transaction of its own.
      if (poisoned) for (const step of steps) this.#transact([step]);
      else for (const step of steps) step.reject(toStoreError(error));
      return;
    }
    this.#transactions += 1;
    for (const settle of settles) settle();
  }

  #undo(): void {
    rollBack(this.#database);
    this.#isStuck = false;
  }

  #rollBack(): void {
    try {
      this.#undo();
    } catch {
      // The steps are refused with the error that came first. The next transaction tries to undo this one before it begins.
      this.#isStuck = true;
    }
    this.#onRollback();
  }
}
