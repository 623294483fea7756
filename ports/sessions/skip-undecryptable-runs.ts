import { PlatformError } from "#kit/errors/platform-error.ts";
import { MissingContentKey, MissingContentKeys } from "#ports/encryption/missing-content-key.ts";

const NOT_OPENABLE: ReadonlySet<string> = new Set(["CONTENT_KEY_UNAVAILABLE", "CONTENT_UNREADABLE"]);
/** How many keys are loaded at the same time. */
const MAX_KEYS_TOGETHER = 50;
/** How many keys that were refused before are asked for again in one call. */
const MAX_ASKED_AGAIN = 20;

/**
 * The first runs of several tenants, without those that are damaged or whose tenant's key is missing: nobody can
 * execute them, and they must neither keep other runs from being found nor count towards the limit. Throws
 * `MissingContentKeys` for keys of which the provider was never asked. It does not wait for keys that were refused
 * before: it requests a few of those again in the background, for later calls.
 */
export function skipUndecryptable<Row, Run>(
  rows: Iterable<Row>,
  open: (row: Row) => Run,
  limit = Number.POSITIVE_INFINITY,
): readonly Run[] {
  const runs: Run[] = [];
  const unknown: MissingContentKey[] = [];
  const refused: NonNullable<MissingContentKey["refused"]>[] = [];
  for (const row of rows) {
    try {
      runs.push(open(row));
    } catch (error) {
      if (error instanceof MissingContentKey) {
        if (error.refused === undefined) unknown.push(error);
        else refused.push(error.refused);
      } else if (!isRefusal(error)) throw error;
    }
    if (runs.length >= limit || unknown.length >= MAX_KEYS_TOGETHER) break;
  }
  if (unknown.length > 0) throw new MissingContentKeys(unknown);
  const longest = refused.sort((one, other) => one.until - other.until).slice(0, MAX_ASKED_AGAIN);
  for (const { askAgain } of longest) askAgain();
  return runs;
}

function isRefusal(error: unknown): boolean {
  return error instanceof PlatformError && NOT_OPENABLE.has(error.reason);
}
