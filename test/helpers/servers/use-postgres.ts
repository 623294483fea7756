import { afterAll, beforeAll } from "vitest";
import { PostgresDatabase, type PostgresDatabaseOptions } from "#adapters/postgres/database/postgres-database.ts";
import { migrate } from "#adapters/postgres/schema/migrate.ts";
import { PostgresServer, type PostgresServerOptions } from "#tooling/emulators/postgres-server.ts";

export interface PostgresSchemas {
  /** Known once the suite's tests run. */
  server(): PostgresServer;
  /** The name of a schema that no other test of the suite has. */
  newSchema(): string;
  /** Opens a database, by default in a new schema with all tables. The caller closes it. */
  openDatabase(options?: Partial<PostgresDatabaseOptions>): Promise<PostgresDatabase>;
}

/** Gives the suite that calls it a server of its own. */
export function usePostgres(options?: PostgresServerOptions): PostgresSchemas {
  let server: PostgresServer;
  let schemas = 0;
  beforeAll(async () => {
    server = await PostgresServer.start(options);
  }, 90_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const newSchema = (): string => {
    schemas += 1;
    return `test ${schemas}`;
  };
  return {
    server: () => server,
    newSchema,
    openDatabase: (more) =>
      PostgresDatabase.open({
        pool: { url: server.url(), maxConnections: 5 },
        schema: newSchema(),
        prepare: async (database) => {
          await migrate(database);
        },
        ...more,
      }),
  };
}
