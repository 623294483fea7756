import { PlatformError } from "#kit/errors/platform-error.ts";

const NOT_OPENABLE: ReadonlySet<string> = new Set(["CONTENT_KEY_UNAVAILABLE", "CONTENT_UNREADABLE"]);

/**
 * The first runs of several tenants, without those that are damaged or whose tenant's key is missing: nobody can execute
 * them, and they must neither keep other runs from being found nor count towards the limit.
 */
export function openable<Row, Run>(
  rows: Iterable<Row>,
  open: (row: Row) => Run,
  limit = Number.POSITIVE_INFINITY,
): readonly Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    try {
      runs.push(open(row));
    } catch (error) {
      if (!(error instanceof PlatformError && NOT_OPENABLE.has(error.reason))) throw error;
    }
    if (runs.length >= limit) break;
  }
  return runs;
}
