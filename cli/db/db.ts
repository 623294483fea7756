import type { PostgresDatabase } from "#adapters/postgres/database/postgres-database.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { connectPostgres } from "#shared/stores/open-postgres.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";

export interface DbCommand {
  readonly action: string | undefined;
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly print: (text: string) => void;
}

interface Report {
  readonly text: string;
  readonly json: unknown;
  readonly exitCode: number;
}

/**
 * Runs `fairlead db …` on the database that DATABASE_URL names, while servers use it too. Returns the exit
 * code: 1 for a check that finds missing migrations. Throws `UsageError` for wrong arguments, and `CONFIGURATION` for a
 * schema that only a newer release can use.
 */
export async function db({ action, flags, config, print }: DbCommand): Promise<number> {
  const run = action === undefined || !Object.hasOwn(ACTIONS, action) ? undefined : ACTIONS[action];
  if (run === undefined) throw new UsageError("Usage: fairlead db migrate|status|check [--json]");
  if (config.DATABASE_URL === "") throw new UsageError("DATABASE_URL is empty: name the database.");
  await using database = await connectPostgres(config, false);
  const { text, json, exitCode } = await run(database);
  print(flags.has("--json") ? JSON.stringify(json, null, 2) : text);
  return exitCode;
}

const ACTIONS: Readonly<Record<string, (database: PostgresDatabase) => Promise<Report>>> = {
  migrate: async (database) => {
    const { migrate } = await import("#adapters/postgres/schema/migrate.ts");
    const done = (await migrate(database)).map(({ number, name }) => ({ number, name }));
    const names = done.map(({ number, name }) => `Applied migration ${number} (${name}).`);
    const text = names.length === 0 ? "The schema is up to date." : names.join("\n");
    return { text, json: { applied: done }, exitCode: 0 };
  },
  status: async (database) => {
    const { schemaStatus } = await import("#adapters/postgres/schema/migrate.ts");
    const { applied, pending } = await schemaStatus(database);
    const rows = [
      ["NUMBER", "NAME", "APPLIED"],
      ...applied.map(({ number, name, appliedAt }) => [String(number), name, appliedAt]),
      ...pending.map(({ number, name }) => [String(number), name, "missing"]),
    ];
    const missing = pending.map(({ number, name }) => ({ number, name }));
    return { text: textTable(rows), json: { applied, missing }, exitCode: 0 };
  },
  check: async (database) => {
    const { schemaStatus } = await import("#adapters/postgres/schema/migrate.ts");
    const { pending } = await schemaStatus(database);
    const missing = pending.map(({ number, name }) => ({ number, name }));
    const list = missing.map(({ number, name }) => `${number} (${name})`).join(", ");
    const text =
      missing.length === 0 ? "The schema is up to date." : `Missing migrations: ${list}. Run: fairlead db migrate`;
    return { text, json: { missing }, exitCode: missing.length === 0 ? 0 : 1 };
  },
};
