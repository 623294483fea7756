import { afterAll, beforeAll } from "vitest";
import { PostgresDatabase, type PostgresDatabaseOptions } from "#adapters/postgres/database/postgres-database.ts";
import { migrate } from "#adapters/postgres/schema/migrate.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { PGlitePool } from "./pglite-pool.ts";
import { type PostgresSchemas, usePostgres } from "./use-postgres.ts";

export type PostgresDatabases = Pick<PostgresSchemas, "openDatabase">;

/** Databases of a server of its own for the suite that calls it; where there is no server, of Postgres in this process. */
export function usePostgresDatabase(): PostgresDatabases {
  return postgresMissing() === undefined ? usePostgres() : usePGlite();
}

/** Databases of Postgres in this process, each with all tables in a schema of its own. */
export function usePGlite(): PostgresDatabases {
  let pool: PGlitePool;
  let schemas = 0;
  beforeAll(() => {
    pool = new PGlitePool();
  });
  afterAll(() => pool[Symbol.asyncDispose]());
  return {
    openDatabase: (more?: Partial<PostgresDatabaseOptions>) => {
      schemas += 1;
      return PostgresDatabase.open({
        // It has what the database uses of a pool.
        pool: pool as never,
        schema: `test ${schemas}`,
        prepare: async (database) => {
          await migrate(database);
        },
        ...more,
      });
    },
  };
}
