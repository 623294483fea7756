import type { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { postgresConfigSchema } from "./storage-settings.ts";
import type { StoreContext } from "./store-context.ts";

export type PostgresConfig = ConfigOf<typeof postgresConfigSchema>;

interface Shared {
  readonly database: Promise<PostgresDatabase>;
  users: number;
}

/** The databases of the processes by their settings: all stores of a process share one pool of connections. */
const SHARED = new WeakMap<PostgresConfig, Shared>();

/**
 * The database of the process, with an up-to-date schema. Called before a store is imported: it reports a missing
 * package. Throws `CONFIGURATION` if this release cannot use the schema. If the server does not answer, the first call
 * that reaches it prepares the schema.
 */
export async function openPostgres({
  config,
  stack,
}: Pick<StoreContext<PostgresConfig>, "config" | "stack">): Promise<PostgresDatabase> {
  const shared = SHARED.get(config) ?? { database: connectPostgres(config), users: 0 };
  SHARED.set(config, shared);
  shared.users += 1;
  stack.defer(async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    SHARED.delete(config);
    await (await shared.database.catch(() => undefined))?.[Symbol.asyncDispose]();
  });
  const database = await shared.database;
  try {
    await database.ready();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== "STORE_UNAVAILABLE") throw error;
  }
  return database;
}

/** The limit of a statement of a command that changes the schema itself. */
const MIGRATION_MS = 3_600_000;

/**
 * Opens a pool of its own. Before its first statement the schema is brought up to date or checked, as
 * DATABASE_MIGRATIONS says, unless the caller does that itself.
 */
export async function connectPostgres(config: PostgresConfig, isPrepared = true): Promise<PostgresDatabase> {
  const { PostgresDatabase } = await importOptional({
    name: "pg",
    user: "Stores in Postgres",
    load: () => import("#adapters/postgres/database/postgres-database.ts"),
  });
  const { assertSchema, migrate } = await import("#adapters/postgres/schema/migrate.ts");
  const prepare = async (database: PostgresDatabase): Promise<void> => {
    if (config.DATABASE_MIGRATIONS === "check") await assertSchema(database);
    else await migrate(database);
  };
  return PostgresDatabase.open({
    pool: {
      name: "DATABASE_URL",
      url: config.DATABASE_URL,
      passwordFile: config.DATABASE_PASSWORD_FILE || undefined,
      caFile: config.DATABASE_CA_FILE || undefined,
      maxConnections: config.DATABASE_POOL_SIZE,
    },
    schema: config.DATABASE_SCHEMA,
    ...(isPrepared ? { prepare } : { deadlineMs: MIGRATION_MS }),
  });
}

/** Makes a round trip. */
export async function probePostgres(database: PostgresDatabase): Promise<void> {
  await database.read("SELECT 1");
}
