import { PlatformError } from "#kit/errors/platform-error.ts";

/** One change of the schema. Migrations are numbered without gaps, and never changed after a release. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * The lowest number that a release has to know to work on the schema after this migration. A migration that only adds
   * keeps the number before it; one that removes has the number of the release that no longer needs what it removes.
   */
  readonly oldest: number;
  /** Statements, executed in one transaction. */
  readonly sql: string;
}

/** The migrations that this release has and the database has not. */
export function pendingMigrations(
  applied: readonly Pick<Migration, "number">[],
  known: readonly Migration[],
): readonly Migration[] {
  const numbers = new Set(applied.map(({ number }) => number));
  return known.filter(({ number }) => !numbers.has(number));
}

/** Throws `CONFIGURATION` if a newer release has made the schema one that this release cannot use. `what` begins the message. */
export function assertUsableSchema(
  what: string,
  applied: readonly Pick<Migration, "oldest">[],
  known: readonly Migration[],
): void {
  const newest = known.at(-1)?.number ?? 0;
  const needed = Math.max(0, ...applied.map(({ oldest }) => oldest));
  if (needed <= newest) return;
  throw new PlatformError(
    "CONFIGURATION",
    `${what} is from a newer release: it needs migration ${needed}, and this release knows ` +
      `migrations up to ${newest}. Use the newer release, or restore the backup that was made before its migration.`,
  );
}
