import type { DatabaseSync } from "node:sqlite";
import type {
  EvalJobRow,
  EvalJobRowPage,
  EvalJobTable,
  RowRange,
  RowWrite,
} from "#kit/evaluation/jobs/eval-job-table.ts";
import { TabularEvalJobStore } from "#kit/evaluation/jobs/tabular-eval-job-store.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { eachRow, firstRow, openDatabase, rollBack, toStoreError } from "./database/sqlite-database.ts";

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

/** `AUTOINCREMENT` never gives a number again, so each change of a row has a version of its own. */
const MIGRATIONS = [
  `CREATE TABLE eval_job_row (
     version INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, json TEXT NOT NULL
   ) STRICT`,
];

interface StoredRow {
  readonly version: number;
  readonly key: string;
  readonly json: string;
}

/** Greater than the rest of each key. */
const END = "\u{10ffff}";

/** Rows of jobs in a file of their own. */
class SqliteEvalJobTable implements EvalJobTable, Disposable {
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor(file: string) {
    this.#database = openDatabase({ file, migrations: MIGRATIONS });
    const range = "SELECT version, key, json FROM eval_job_row WHERE key > ? AND key < ? ORDER BY key";
    this.#statements = {
      get: this.#database.prepare("SELECT version, key, json FROM eval_job_row WHERE key = ?"),
      ascending: this.#database.prepare(`${range} LIMIT ?`),
      descending: this.#database.prepare(`${range} DESC LIMIT ?`),
      remove: this.#database.prepare("DELETE FROM eval_job_row WHERE key = ?"),
      insert: this.#database.prepare("INSERT INTO eval_job_row (key, json) VALUES (?, ?)"),
    };
  }

  read(keys: readonly string[]): Promise<ReadonlyMap<string, EvalJobRow>> {
    return this.#call(() => {
      const found = keys.flatMap((key) => firstRow<StoredRow>(this.#statements.get, key) ?? []);
      return new Map(found.map((row) => [row.key, toRow(row)]));
    });
  }

  list(range: RowRange): Promise<readonly EvalJobRow[]> {
    return this.#call(() => Array.from(this.#rowsOf(range), toRow));
  }

  page(range: RowRange, maxCharacters: number): Promise<EvalJobRowPage> {
    return this.#call(() => {
      const rows: EvalJobRow[] = [];
      let characters = 0;
      for (const row of this.#rowsOf(range)) {
        rows.push(toRow(row));
        characters += row.json.length;
        if (characters >= maxCharacters) return { rows, hasMore: true };
      }
      return { rows, hasMore: rows.length === range.limit };
    });
  }

  #rowsOf({ prefix, after, limit, descending = false }: RowRange): Iterable<StoredRow> {
    const { ascending, descending: backwards } = this.#statements;
    return descending
      ? eachRow<StoredRow>(backwards, prefix, after ?? prefix + END, limit)
      : eachRow<StoredRow>(ascending, after ?? prefix, prefix + END, limit);
  }

  commit(writes: readonly RowWrite[]): Promise<boolean> {
    return this.#call(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      const isLost = writes.some(({ key, expect }) => {
        if (expect === undefined) return false;
        const version = firstRow<StoredRow>(this.#statements.get, key)?.version;
        return expect === "missing" ? version !== undefined : version !== expect;
      });
      if (isLost) {
        this.#database.exec("ROLLBACK");
        return false;
      }
      for (const { key, value } of writes) {
        this.#statements.remove.run(key);
        if (value !== undefined) this.#statements.insert.run(key, JSON.stringify(value));
      }
      this.#database.exec("COMMIT");
      return true;
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  async #call<Result>(work: () => Result): Promise<Result> {
    try {
      return work();
    } catch (error) {
      rollBack(this.#database);
      throw toStoreError(error);
    }
  }
}

function toRow({ key, json, version }: StoredRow): EvalJobRow {
  // Written by `commit` from a JsonObject.
  return { key, version, value: JSON.parse(json) as JsonObject };
}
