import type { DatabaseSync } from "node:sqlite";
import { rollBack, toStoreError } from "./sqlite-database.ts";

export interface WriteStep {
  /** Throws if the transaction must be rolled back. */
  execute(): Outcome;
  reject(error: unknown): void;
}

/** How a step or a read ends. */
export interface Outcome {
  /** Called after the commit; absent if the result may only be passed on when it is durable. */
  readonly committed?: () => void;
  /** Called once all that the step or read has seen is durable. */
  settle(): void;
  reject(error: unknown): void;
}

/**
 * Runs steps in one transaction. If one of them fails, the transaction is rolled back and each of its steps runs again in
 * a transaction of its own.
 */
export class StepTransactions {
  readonly #database: DatabaseSync;
  readonly #onRollback: () => void;
  readonly #begin;
  readonly #commit;
  #committed = 0;
  /** A failed transaction could not be rolled back. */
  #needsRollback = false;

  /** `onRollback` is called after steps that ran have been rolled back. */
  constructor(database: DatabaseSync, onRollback: () => void) {
    this.#database = database;
    this.#onRollback = onRollback;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    // run() reports the last row id of the connection, and those of a full-text index exceed a JavaScript number.
    for (const statement of [this.#begin, this.#commit]) statement.setReadBigInts(true);
  }

  /** How many transactions were committed. */
  get committed(): number {
    return this.#committed;
  }

  /** Returns the outcomes of the steps that were committed. The others are rejected. */
  run(steps: readonly WriteStep[]): Outcome[] {
    const outcomes: Outcome[] = [];
    if (steps.length === 0) return outcomes;
    let begun = false;
    try {
      if (this.#needsRollback) this.#undo();
      this.#begin.run();
      begun = true;
      for (const step of steps) outcomes.push(step.execute());
      this.#commit.run();
    } catch (error) {
      this.#rollBack();
      const canRunSingly = begun && outcomes.length < steps.length && steps.length > 1 && this.#database.isOpen;
      // One step failed: the others must not fail with it, so each gets a transaction of its own.
      if (canRunSingly) return steps.flatMap((step) => this.run([step]));
      for (const step of steps) step.reject(toStoreError(error));
      return [];
    }
    this.#committed += 1;
    for (const { committed } of outcomes) committed?.();
    return outcomes;
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
