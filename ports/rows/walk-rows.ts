import { type KeyRange, MAX_COMMIT_ROWS, type Row, type RowTable } from "./row-table.ts";

type Walk = Pick<KeyRange, "prefix" | "after">;

/** All rows whose keys begin so, read page by page. */
export async function* eachRow(table: RowTable, { prefix, after }: Walk): AsyncGenerator<Row, void, undefined> {
  for (let last = after; ; ) {
    const { rows, hasMore } = await table.list({ prefix, after: last, limit: MAX_COMMIT_ROWS });
    yield* rows;
    if (!hasMore) return;
    last = rows.at(-1)?.key;
  }
}

/** Removes the rows whose keys begin so, at most `limit`, and returns how many. */
export async function removeRows(table: RowTable, prefix: string, limit = Number.POSITIVE_INFINITY): Promise<number> {
  for (let removed = 0; ; ) {
    const some = Math.min(MAX_COMMIT_ROWS, limit - removed);
    const keys = some <= 0 ? [] : await table.listKeys({ prefix, limit: some });
    if (keys.length === 0) return removed;
    await table.commit(keys.map((key) => ({ key, value: undefined })));
    removed += keys.length;
  }
}
