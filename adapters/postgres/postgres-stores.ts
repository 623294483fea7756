import type { Pool } from "pg";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { having, integer, logger, matching, type OptionRules, text } from "#kit/schema/check-options.ts";
import {
  NETWORK_STORES_RULES,
  type NetworkStores,
  type NetworkStoresOptions,
  networkStores,
} from "#ports/network-stores.ts";
import { PostgresDatabase, type PostgresPoolOptions } from "./database/postgres-database.ts";
import { PostgresMemoryService } from "./postgres-memory-service.ts";
import { PostgresRowTable } from "./postgres-row-table.ts";
import { migrate } from "./schema/migrate.ts";
import { PostgresSessionStore } from "./sessions/postgres-session-store.ts";

/** Options of `openPostgresStores`. */
export interface PostgresStoresOptions extends NetworkStoresOptions {
  /** `postgresql://user:password@host:port/database?sslmode=verify-full`; either this or `pool`. */
  readonly url?: string | undefined;
  /** A pool of the package `pg`, which the caller closes. */
  readonly pool?: PostgresPool | undefined;
  /** A file with the password, which each new connection reads. */
  readonly passwordFile?: string | undefined;
  /** A file with the certificates (PEM) that the database is checked against. */
  readonly caFile?: string | undefined;
  /** How many connections are opened at most; 10 by default. */
  readonly maxConnections?: number | undefined;
  /** The schema with all tables; `fairlead` by default. It is created, and brought up to date. */
  readonly schema?: string | undefined;
  /** The time limit of one statement, in milliseconds; 10,000 by default. */
  readonly deadlineMs?: number | undefined;
  /**
   * Finds memory by meaning too, such as a `GeminiEmbedder`, if the database has the extension `vector`; without it only
   * by words.
   */
  readonly embedder?: Embedder | undefined;
  readonly logger?: Logger | undefined;
}

/** A `Pool` of the package `pg`, with the members that are checked. */
export interface PostgresPool {
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Stores in Postgres. Disposing closes the connections that were opened for them. */
export type PostgresStores = NetworkStores;

const RULES: OptionRules<PostgresStoresOptions> = {
  url: text,
  pool: having("connect", "on"),
  passwordFile: text,
  caFile: text,
  maxConnections: integer(1),
  schema: matching("the name of a schema, such as fairlead", /^[a-z_][a-z0-9_]{0,62}$/),
  deadlineMs: integer(1, " milliseconds"),
  embedder: having("embed"),
  logger,
  ...NETWORK_STORES_RULES,
};

export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  const storesOf = networkStores("openPostgresStores", options, RULES);
  const { schema, deadlineMs, embedder, logger: log } = options;
  const database = await PostgresDatabase.open({
    pool: poolOf(options),
    schema,
    deadlineMs,
    prepare: async (unprepared) => {
      await migrate(unprepared);
    },
  });
  return storesOf({
    database,
    table: (name) => new PostgresRowTable({ database, name }),
    sessions: (given) => new PostgresSessionStore({ ...given, database }),
    memory: (given) => new PostgresMemoryService({ ...given, database, embedder, logger: log }),
  });
}

/** Throws `INVALID_FIELD` unless there is one of the two. */
function poolOf({
  url,
  pool,
  passwordFile,
  caFile,
  maxConnections,
}: PostgresStoresOptions): Pool | PostgresPoolOptions {
  // Its documentation asks for a pool of the package.
  if (url === undefined && pool !== undefined) return pool as Pool;
  if (url !== undefined && pool === undefined) return { url, passwordFile, caFile, maxConnections, name: "url" };
  throw new PlatformError("INVALID_FIELD", "openPostgresStores: give exactly one of url and pool.", {
    details: { field: "url" },
  });
}
