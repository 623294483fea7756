import type { EvalJobTable } from "./eval-job-table.ts";

/** Rows of one commit, which a store may limit. */
export const ROWS_OF_COMMIT = 100;

/** Removes the rows whose keys begin so, at most `limit`, and returns how many. */
export async function removeRows(
  table: EvalJobTable,
  prefix: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (let removed = 0; ; ) {
    const some = Math.min(ROWS_OF_COMMIT, limit - removed);
    const found = some <= 0 ? [] : await table.list({ prefix, limit: some });
    if (found.length === 0) return removed;
    await table.commit(found.map(({ key }) => ({ key, value: undefined })));
    removed += found.length;
  }
}
