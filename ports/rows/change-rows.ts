import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { Row, RowTable, RowWrite } from "./row-table.ts";

/** The most attempts of a change. An attempt fails if another writer has changed a row since it was read. */
export const MAX_ATTEMPTS = 50;
/** The longest pause, unless the caller knows that its commits are faster. */
export const MAX_PAUSE_MS = 250;

export interface RowChange<Result> {
  /** Each of them expects the row as it was read, unless it states another expectation. */
  readonly writes: readonly RowWrite[];
  readonly result: Result;
}

/**
 * Reads rows, decides and writes, and repeats all three if another writer was faster. `decide` is called once for each
 * attempt, and nothing is written if it throws. Throws `STORE_UNAVAILABLE` after `MAX_ATTEMPTS`.
 */
export function changeRows<Result>(
  table: RowTable,
  keys: readonly string[],
  decide: (rows: ReadonlyMap<string, Row>) => RowChange<Result> | Promise<RowChange<Result>>,
  pause?: Sleep,
): Promise<Result> {
  return untilCommitted(async () => {
    const rows = await table.read(keys);
    const { writes, result } = await decide(rows);
    const expected = writes.flatMap((write) => withExpectation(write, keys, rows));
    const isDone = expected.length === 0 || (await table.commit(expected));
    return isDone ? { value: result } : undefined;
  }, pause);
}

/**
 * Repeats an attempt until it returns a value: immediately if the first one is lost, and then after random pauses, so
 * that writers that failed at the same time do not repeat at the same time. Throws `STORE_UNAVAILABLE` after
 * `MAX_ATTEMPTS`, or after as many more as shorter pauses give time for.
 */
export async function untilCommitted<Result>(
  attempt: () => Promise<{ readonly value: Result } | undefined>,
  pause: Sleep = sleep,
  maxPauseMs: number = MAX_PAUSE_MS,
): Promise<Result> {
  const attempts = MAX_ATTEMPTS * (MAX_PAUSE_MS / maxPauseMs);
  for (let count = 1; count <= attempts; count += 1) {
    const committed = await attempt();
    if (committed !== undefined) return committed.value;
    if (count > 1) await pause(Math.random() * Math.min(2 ** count, maxPauseMs));
  }
  throw tooManyWriters();
}

export function tooManyWriters(): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "Other writers changed the same data at the same time. Try again.");
}

function withExpectation(write: RowWrite, keys: readonly string[], rows: ReadonlyMap<string, Row>): RowWrite[] {
  if (write.expect !== undefined || !keys.includes(write.key)) return [write];
  const version = rows.get(write.key)?.version;
  if (write.value !== undefined) return [{ ...write, expect: version ?? "missing" }];
  return version === undefined ? [] : [{ ...write, expect: version }];
}
