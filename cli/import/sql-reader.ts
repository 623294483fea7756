import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";

/** Reads a database of another program. Parameters are `?` in the order of the values. */
export interface SqlReader extends AsyncDisposable {
  readonly dialect: "sqlite" | "postgres";
  all<Row>(sql: string, ...values: readonly (string | number)[]): Promise<readonly Row[]>;
}

/** The file is opened for reading alone. Throws `STORE_UNAVAILABLE` for a file that is not a database. */
export function openSqliteReader(path: string): SqlReader {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    database.prepare("SELECT 1 FROM sqlite_schema").get();
  } catch (cause) {
    throw new PlatformError("STORE_UNAVAILABLE", `${path} cannot be read as a database of SQLite.`, { cause });
  }
  return {
    dialect: "sqlite",
    // The caller names the columns of its statement.
    all: async <Row>(sql: string, ...values: readonly SQLInputValue[]) => database.prepare(sql).all(...values) as Row[],
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

/** Long enough for a page of a table without a fitting index. */
const DEADLINE_MS = 120_000;

export async function openPostgresReader(url: string, caFile: string): Promise<SqlReader> {
  const { PostgresDatabase } = await importOptional({
    name: "pg",
    user: "Reading Postgres",
    load: () => import("#adapters/postgres/database/postgres-database.ts"),
  });
  const pool = { name: "The address of the source", url, caFile: caFile || undefined, maxConnections: 1 };
  const database = await PostgresDatabase.open({ pool, deadlineMs: DEADLINE_MS });
  return {
    dialect: "postgres",
    all: (sql, ...values) => {
      let number = 0;
      return database.read(
        sql.replace(/\?/g, () => `$${++number}`),
        values,
      );
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
