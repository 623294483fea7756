import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, type TestOptions } from "vitest";
import { PostgresRowTable } from "#adapters/postgres/postgres-row-table.ts";
import { openCredentialKeyFile } from "#adapters/sqlite/keys/credential-key-file.ts";
import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import type { CredentialKeys } from "#ports/credentials/credential-keys.ts";
import { credentialKeysReader } from "#ports/credentials/read-credential-keys.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import { whyNoPostgres } from "#tooling/emulators/postgres-programs.ts";
import { writeCredentialKeys } from "#tooling/service-secrets.ts";
import { type PostgresSchemas, usePostgres } from "./use-postgres.ts";

/** Where the services of one test keep everything but artifacts. */
export interface ServiceStores {
  /** Settings of each service. */
  readonly settings: Readonly<Record<string, string>>;
  /** A table of rows, opened beside the service with the data folder. The caller closes it. */
  openTable(name: string, folder: string): Promise<{ readonly table: RowTable } & AsyncDisposable>;
  /** The table's content, as a reader of the disk or of a backup sees it. */
  storedText(name: string, folder: string): Promise<string>;
  /** The keys of users' credentials. */
  credentialKeys(folder: string): Promise<CredentialKeys>;
}

/** Runs the suite with stores in files and with stores in Postgres. `next` gives each test stores of its own. */
export function describeWithStores(
  title: string,
  options: TestOptions & { readonly isSkipped?: boolean },
  define: (next: () => ServiceStores, name: "files" | "Postgres") => void,
): void {
  const { isSkipped = false, ...rest } = options;
  describe.skipIf(isSkipped)(`${title}, with stores in files`, rest, () => define(() => FILES, "files"));
  describe.skipIf(isSkipped || whyNoPostgres() !== undefined)(`${title}, with stores in Postgres`, rest, () => {
    const schemas = usePostgres();
    const folder = mkdtempSync(join(tmpdir(), "stores-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    let count = 0;
    define(() => {
      count += 1;
      return postgresStores(schemas, `services_${count}`, writeCredentialKeys(folder));
    }, "Postgres");
  });
}

const FILES: ServiceStores = {
  settings: {},
  openTable: async (name, folder) => {
    const table = new SqliteRowTable(join(folder, `${name}.sqlite`));
    return { table, [Symbol.asyncDispose]: async () => table[Symbol.dispose]() };
  },
  storedText: async (name, folder) => {
    const path = join(folder, `${name}.sqlite`);
    // With what its journal has not moved to it yet.
    return [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file, "latin1") : "")).join("");
  },
  credentialKeys: (folder) => openCredentialKeyFile(folder),
};

function postgresStores({ openDatabase, server }: PostgresSchemas, schema: string, keysFile: string): ServiceStores {
  return {
    settings: {
      ...{ SESSION_STORE: "postgres", MEMORY_STORE: "postgres", EVAL_STORE: "postgres", A2A_PUSH: "postgres" },
      ...{ KEY_STORE: "postgres", CREDENTIAL_STORE: "postgres", CREDENTIAL_KEYS_FILE: keysFile },
      ...{ DATABASE_URL: server().url(), DATABASE_SCHEMA: schema },
    },
    openTable: async (name) => {
      const database = await openDatabase({ schema });
      const table = new PostgresRowTable({ database, name });
      return { table, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    },
    storedText: async (name) => {
      await using database = await openDatabase({ schema });
      return JSON.stringify(await database.read("SELECT * FROM fairlead.rows WHERE name = $1", [name]));
    },
    credentialKeys: async () => {
      const parse = await credentialKeysReader((problem) => new Error(problem));
      return parse(readFileSync(keysFile, "utf8"));
    },
  };
}
