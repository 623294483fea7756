import { TabularEvalJobStore } from "#kit/evaluation/jobs/tabular-eval-job-store.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { SqliteEvalJobTable } from "./sqlite-eval-job-table.ts";

export interface SqliteEvalJobStoreOptions {
  readonly file: string;
  readonly clock: Clock;
}

/** Jobs in a file, from which the next process continues them. */
export class SqliteEvalJobStore extends TabularEvalJobStore implements Disposable {
  readonly #table: SqliteEvalJobTable;

  constructor({ file, clock }: SqliteEvalJobStoreOptions) {
    const table = new SqliteEvalJobTable(file);
    super({ table, clock });
    this.#table = table;
  }

  [Symbol.dispose](): void {
    this.#table[Symbol.dispose]();
  }
}
