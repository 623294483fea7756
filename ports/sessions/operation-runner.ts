import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunOperations } from "./run-operations.ts";
import type { SessionHead } from "./session-head.ts";
import type { Operation } from "./session-reads.ts";

type Start<Head extends SessionHead, T> = (operations: RunOperations<Head>) => Operation<T>;

/** Runs the operations of a store: a write is atomic and durable when its promise resolves; one that throws changes nothing. */
export interface OperationRunner<Head extends SessionHead> {
  read<T>(start: Start<Head, T>): Promise<T>;
  /** Operations of the same session may wait for each other. */
  write<T>(start: Start<Head, T>, session?: SessionKey): Promise<T>;
  /** As `write`, but resolves before the operation is durable. Absent if each commit is durable. */
  commit?<T>(start: Start<Head, T>): Promise<Committed<T>>;
}

/** The result of a step that survives the end of the process. */
export interface Committed<T> {
  readonly value: T;
  /** Resolves when the step also survives a power failure. A caller need not handle its rejection. */
  readonly durable: Promise<void>;
}

/** Runs synchronous steps, with the guarantees of `OperationRunner`. */
export interface StepRunner {
  read<T>(step: () => T): Promise<T>;
  write<T>(step: () => T): Promise<T>;
  commit?<T>(step: () => T): Promise<Committed<T>>;
}

/** Runs each operation as one step, on tables that read synchronously and need no declarations. */
export function operationsInPlace<Head extends SessionHead>(
  steps: StepRunner,
  operations: RunOperations<Head>,
): OperationRunner<Head> {
  const commit = steps.commit?.bind(steps);
  return {
    read: (start) => steps.read(() => finish(start(operations))),
    write: (start) => steps.write(() => finish(start(operations))),
    commit: commit && ((start) => commit(() => finish(start(operations)))),
  };
}

function finish<T>(operation: Operation<T>): T {
  for (;;) {
    const { done, value } = operation.next();
    if (done) return value;
  }
}
