import { join } from "node:path";
import type { RowTable } from "#ports/rows/row-table.ts";
import { type FirestoreConfig, openFirestore, probeFirestore } from "./open-firestore.ts";
import { openPostgres, type PostgresConfig, probePostgres } from "./open-postgres.ts";
import type { OpenedStore, StoreContext } from "./store-context.ts";

/** Where rows may be kept: choices of the settings of all stores that stand on rows. */
export const ROW_BACKENDS = ["sqlite", "memory", "firestore", "postgres"] as const;
export type RowBackend = (typeof ROW_BACKENDS)[number];

/** The settings of all databases. */
export type DatabaseConfig = FirestoreConfig & PostgresConfig;

export interface RowTablePlace {
  readonly backend: RowBackend;
  /** The name of the file in the data folder, or of the rows in a database. */
  readonly name: string;
  /** The folder of the file, if there is one. */
  readonly dataFolder: () => string;
}

/** Opens a table of rows; no adapter is loaded unused. */
export async function openRowTable(
  context: Pick<StoreContext<DatabaseConfig>, "config" | "stack">,
  { backend, name, dataFolder }: RowTablePlace,
): Promise<OpenedStore<RowTable>> {
  const { config, stack } = context;
  switch (backend) {
    case "sqlite": {
      const folder = dataFolder();
      const { SqliteRowTable } = await import("#adapters/sqlite/sqlite-row-table.ts");
      const { spaceProbe } = await import("#adapters/files/space-probe.ts");
      const store = stack.use(new SqliteRowTable(join(folder, `${name}.sqlite`)));
      return { store, probeSpace: spaceProbe(folder, name) };
    }
    case "memory": {
      const { InMemoryRowTable } = await import("#ports/rows/in-memory-row-table.ts");
      return { store: new InMemoryRowTable() };
    }
    case "firestore": {
      const database = await openFirestore(context);
      const { FirestoreRowTable } = await import("#adapters/firestore/firestore-row-table.ts");
      const store = new FirestoreRowTable({ database, root: config.FIRESTORE_ROOT, name });
      return { store, probe: () => probeFirestore(database, config) };
    }
    case "postgres": {
      const database = await openPostgres(context);
      const { PostgresRowTable } = await import("#adapters/postgres/postgres-row-table.ts");
      return { store: new PostgresRowTable({ database, name }), probe: () => probePostgres(database) };
    }
    default:
      return backend satisfies never;
  }
}
