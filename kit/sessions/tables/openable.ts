import { PlatformError } from "#kit/errors/platform-error.ts";

/**
 * The runs of several tenants, without those whose tenant's key is missing: nobody can execute them, and they must not
 * keep the runs of other tenants from being found.
 */
export function openable<Row, Run>(rows: readonly Row[], open: (row: Row) => Run): readonly Run[] {
  return rows.flatMap((row) => {
    try {
      return [open(row)];
    } catch (error) {
      if (error instanceof PlatformError && error.reason === "CONTENT_KEY_UNAVAILABLE") return [];
      throw error;
    }
  });
}
