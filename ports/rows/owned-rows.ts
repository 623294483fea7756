import type { DeleteDataResponse } from "../tenants/tenant-data.ts";
import { MAX_COMMIT_ROWS, type Row, type RowTable } from "./row-table.ts";
import { eachRow } from "./walk-rows.ts";

/** The rows of several prefixes, one after the other, after a key that was listed. A key of no prefix begins again. */
export async function* eachOwned(
  table: RowTable,
  prefixes: readonly string[],
  after: string | undefined,
): AsyncGenerator<Row, void, undefined> {
  const known = prefixes.findIndex((prefix) => after?.startsWith(prefix));
  for (const [index, prefix] of prefixes.entries()) {
    if (index >= known) yield* eachRow(table, { prefix, after: index === known ? after : undefined });
  }
}

/**
 * Removes rows of the prefixes, at most `limit` and as many as one commit may write. `remove` is given their keys, and
 * may remove more rows with each of them.
 */
export async function deleteOwned(
  table: RowTable,
  { prefixes, limit }: { readonly prefixes: readonly string[]; readonly limit: number },
  remove: (keys: readonly string[]) => Promise<unknown> = (keys) => removeAll(table, keys),
): Promise<DeleteDataResponse> {
  const most = Math.min(limit, MAX_COMMIT_ROWS);
  const keys: string[] = [];
  for (const prefix of prefixes) {
    if (keys.length <= most) keys.push(...(await table.listKeys({ prefix, limit: most + 1 - keys.length })));
  }
  const some = keys.slice(0, most);
  if (some.length > 0) await remove(some);
  return { deleted: some.length, isDone: some.length === keys.length };
}

function removeAll(table: RowTable, keys: readonly string[]): Promise<boolean> {
  return table.commit(keys.map((key) => ({ key, value: undefined })));
}
