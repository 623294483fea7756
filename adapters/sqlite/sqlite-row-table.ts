import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Migration } from "#ports/rows/migrations.ts";
import {
  assertCommit,
  type KeyRange,
  MAX_PAGE_CHARACTERS,
  type Row,
  type RowPage,
  type RowRange,
  type RowTable,
  type RowWrite,
} from "#ports/rows/row-table.ts";
import { allRows, eachRow, firstRow, openDatabase, rollBack, toStoreError } from "./database/sqlite-database.ts";

/** `AUTOINCREMENT` never gives a number again, so each change of a row has a version of its own. */
const TABLE =
  "CREATE TABLE row (version INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT";
const SCHEMA: readonly Migration[] = [{ number: 1, name: "rows", oldest: 1, sql: TABLE }];

interface StoredRow {
  readonly version: number;
  readonly key: string;
  readonly json: string;
}

/** Greater than the rest of each key. */
const END = "\u{10ffff}";

/**
 * Rows in a file of their own, which several processes may have open: a command can create and revoke API keys while a
 * server uses the file. Each commit is a transaction that is synced immediately.
 */
export class SqliteRowTable implements RowTable, Disposable {
  readonly #database: DatabaseSync;
  readonly #statements;

  /** `:memory:` for a database without a file. */
  constructor(file: string) {
    this.#database = openDatabase({ file, schema: SCHEMA });
    const range = "FROM row WHERE key > ? AND key < ? ORDER BY key";
    const list = (columns: string) => ({
      ascending: this.#database.prepare(`SELECT ${columns} ${range} LIMIT ?`),
      descending: this.#database.prepare(`SELECT ${columns} ${range} DESC LIMIT ?`),
    });
    this.#statements = {
      get: this.#database.prepare("SELECT version, key, json FROM row WHERE key = ?"),
      version: this.#database.prepare("SELECT version FROM row WHERE key = ?"),
      rows: list("version, key, json"),
      keys: list("key"),
      remove: this.#database.prepare("DELETE FROM row WHERE key = ?"),
      insert: this.#database.prepare("INSERT INTO row (key, json) VALUES (?, ?)"),
    };
  }

  read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    return this.#call(() => {
      const found = keys.flatMap((key) => firstRow<StoredRow>(this.#statements.get, key) ?? []);
      return new Map(found.map((row) => [row.key, toRow(row)]));
    });
  }

  list({ maxCharacters = MAX_PAGE_CHARACTERS, ...range }: RowRange): Promise<RowPage> {
    return this.#call(() => {
      const rows: Row[] = [];
      let characters = 0;
      const { ascending, descending } = this.#statements.rows;
      for (const row of eachRow<StoredRow>(range.descending ? descending : ascending, ...boundsOf(range))) {
        rows.push(toRow(row));
        characters += row.json.length;
        if (characters >= maxCharacters) return { rows, hasMore: true };
      }
      return { rows, hasMore: rows.length === range.limit };
    });
  }

  listKeys(range: KeyRange): Promise<readonly string[]> {
    const { ascending, descending } = this.#statements.keys;
    const statement = range.descending ? descending : ascending;
    return this.#call(() => allRows<Pick<StoredRow, "key">>(statement, ...boundsOf(range)).map(({ key }) => key));
  }

  async commit(writes: readonly RowWrite[]): Promise<boolean> {
    assertCommit(writes);
    return this.#call(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      const isLost = writes.some(({ key, expect }) => {
        if (expect === undefined) return false;
        const version = firstRow<StoredRow>(this.#statements.version, key)?.version;
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

function boundsOf({ prefix, after, limit, descending }: KeyRange): readonly [string, string, number] {
  const most = Math.min(limit, Number.MAX_SAFE_INTEGER);
  return descending ? [prefix, after ?? prefix + END, most] : [after ?? prefix, prefix + END, most];
}

function toRow({ key, json, version }: StoredRow): Row {
  // Written by `commit` from a JsonObject.
  return { key, version, value: JSON.parse(json) as JsonObject };
}
