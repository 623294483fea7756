import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertUsableSchema, type Migration, pendingMigrations } from "#ports/rows/migrations.ts";
import { type PostgresDatabase, quoted } from "../database/postgres-database.ts";
import { sqlState } from "../database/postgres-errors.ts";
import { MIGRATIONS } from "./migrations.ts";

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly oldest: number;
  /** ISO 8601. */
  readonly appliedAt: string;
}

export interface SchemaStatus {
  readonly applied: readonly AppliedMigration[];
  /** Those that this release has and the database has not. */
  readonly pending: readonly Migration[];
}

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS fairlead.migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    oldest integer NOT NULL,
    applied timestamptz NOT NULL DEFAULT now()
  )`;
const APPLIED = `
  SELECT number, name, oldest, to_char(applied AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "appliedAt"
  FROM fairlead.migrations ORDER BY number`;
/** Conflicts with itself and not with reading. */
const LOCK = "LOCK TABLE fairlead.migrations IN SHARE ROW EXCLUSIVE MODE";
/** Two processes that create a schema or a table at the same time: one of them gets such an error. */
const CREATED_BY_ANOTHER: ReadonlySet<string> = new Set(["23505", "42710", "42P06", "42P07"]);
const MAX_TRIES = 5;
const SCHEMA = "The schema of the database";

/** Throws `CONFIGURATION` if a newer release has made the schema one that this release cannot use. */
export async function schemaStatus(
  database: PostgresDatabase,
  known: readonly Migration[] = MIGRATIONS,
): Promise<SchemaStatus> {
  const [found] = await database.read<{ readonly present: boolean }>("SELECT to_regclass($1) IS NOT NULL AS present", [
    `${quoted(database.schema)}.migrations`,
  ]);
  const applied = found?.present === true ? await database.read<AppliedMigration>(APPLIED) : [];
  assertUsableSchema(SCHEMA, applied, known);
  return { applied, pending: pendingMigrations(applied, known) };
}

/**
 * Applies the pending migrations, each in a transaction, and returns them. Any number of processes may do it at the same
 * time: they wait for each other, and each migration is applied once.
 */
export async function migrate(
  database: PostgresDatabase,
  known: readonly Migration[] = MIGRATIONS,
): Promise<readonly Migration[]> {
  const { applied: before, pending } = await schemaStatus(database, known);
  // A role that may not change the schema can use one that is up to date.
  if (pending.length === 0) return [];
  if (before.length === 0) await createTable(database);
  const done: Migration[] = [];
  for (const migration of pending) {
    const isNew = await database.transaction(async (run) => {
      await run(LOCK);
      const applied = await run<AppliedMigration>(APPLIED);
      assertUsableSchema(SCHEMA, applied, known);
      if (!pendingMigrations(applied, known).includes(migration)) return false;
      await run(migration.sql);
      const { number, name, oldest } = migration;
      await run("INSERT INTO fairlead.migrations (number, name, oldest) VALUES ($1, $2, $3)", [number, name, oldest]);
      return true;
    });
    if (isNew === true) done.push(migration);
  }
  return done;
}

/** Throws `CONFIGURATION` unless the schema is up to date. */
export async function assertSchema(
  database: PostgresDatabase,
  known: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const { pending } = await schemaStatus(database, known);
  if (pending.length === 0) return;
  const numbers = pending.map(({ number, name }) => `${number} (${name})`).join(", ");
  throw new PlatformError(
    "CONFIGURATION",
    `The schema ${database.schema} of the database lacks the migrations ${numbers}. Run: fairlead db migrate`,
  );
}

async function createTable(database: PostgresDatabase): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await database.write(`CREATE SCHEMA IF NOT EXISTS ${quoted(database.schema)}`);
      await database.write(CREATE_TABLE);
      return;
    } catch (error) {
      if (tries >= MAX_TRIES || !CREATED_BY_ANOTHER.has(sqlState(error) ?? "")) throw error;
    }
  }
}
