import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { KeyRange, Row, RowPage, RowRange, RowTable, RowWrite } from "#ports/rows/row-table.ts";

export interface OpenedTable {
  readonly table: RowTable;
  readonly dispose: () => Promise<void>;
}

/** Rows in memory, each call of which is answered in a later turn of the event loop, as over a network. */
export class DelayedRowTable extends InMemoryRowTable {
  override async read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    await laterTurn();
    const rows = await super.read(keys);
    await laterTurn();
    return rows;
  }

  override async list(range: RowRange): Promise<RowPage> {
    await laterTurn();
    const page = await super.list(range);
    await laterTurn();
    return page;
  }

  override async listKeys(range: KeyRange): Promise<readonly string[]> {
    await laterTurn();
    const keys = await super.listKeys(range);
    await laterTurn();
    return keys;
  }

  override async commit(writes: readonly RowWrite[]): Promise<boolean> {
    await laterTurn();
    const isDone = await super.commit(writes);
    await laterTurn();
    return isDone;
  }
}

function laterTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function openSqliteTable(): Promise<OpenedTable> {
  const table = new SqliteRowTable(":memory:");
  return { table, dispose: async () => table[Symbol.dispose]() };
}

/** The tables on which the suites of stores over rows run. The table in Firestore passes the suite of the table itself. */
export const ROW_TABLES: readonly (readonly [name: string, open: () => Promise<OpenedTable>])[] = [
  ["rows in memory", async () => ({ table: new InMemoryRowTable(), dispose: async () => {} })],
  ["rows in SQLite", openSqliteTable],
  ["rows behind a network", async () => ({ table: new DelayedRowTable(), dispose: async () => {} })],
];
