import { closeSync, openSync, readSync, statSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isAbsent } from "#kit/platform/file-errors.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext, type StoreContext } from "#shared/stores/store-context.ts";
import { AdkDatabase } from "./adk-database.ts";
import { FairleadStores } from "./fairlead-stores.ts";
import { JsonLines } from "./json-lines.ts";
import type { SessionSource, SourceLimits } from "./session-source.ts";
import { openPostgresReader, openSqliteReader, type SqlReader } from "./sql-reader.ts";

export interface OpenSourceOptions extends Omit<StoreContext<StandaloneConfig>, "dataFolder" | "stack"> {
  readonly source: string;
  readonly limits: SourceLimits;
  readonly tenantId: string | undefined;
}

const SQLITE_HEADER = "SQLite format 3\0";
const POSTGRES_URL = /^postgres(?:ql)?:\/\//;
/** A name of a file as ADK writes it. */
const SQLITE_URL = /^sqlite(?:\+\w+)?:\/\/\//;

/** Opens what the user has named, by what is there. Throws `CONFIGURATION` for what is none of the known sources. */
export async function openSource(options: OpenSourceOptions): Promise<SessionSource> {
  const { source, limits, tenantId, config } = options;
  if (POSTGRES_URL.test(source)) return openPostgresSource(options);
  const path = source.replace(SQLITE_URL, "");
  const kind = kindOf(path);
  switch (kind) {
    case "folder":
      return openStores(options, { SESSION_STORE: "sqlite", ARTIFACT_STORE: "files", DATA_DIR: path });
    case "sqlite":
      return openAdk({ reader: openSqliteReader(path), limits, tenantId });
    case "lines":
      return new JsonLines({ path, limits, tenantId });
    case "missing":
      throw new PlatformError(
        "CONFIGURATION",
        `There is no file or folder ${path}${config.DATA_DIR === path ? " yet" : ""}.`,
      );
    default:
      return kind satisfies never;
  }
}

async function openPostgresSource(options: OpenSourceOptions): Promise<SessionSource> {
  const { source, limits, tenantId, config } = options;
  const reader = await openPostgresReader(source, config.DATABASE_CA_FILE);
  const own = await reader.all(
    "SELECT 1 FROM information_schema.columns WHERE table_schema = ? AND table_name = 'sessions' AND column_name = 'sid'",
    config.DATABASE_SCHEMA,
  );
  if (own.length === 0) return openAdk({ reader, limits, tenantId });
  await reader[Symbol.asyncDispose]();
  // Nothing of the source is changed, and its files are in a store of their own.
  const settings = { SESSION_STORE: "postgres", ARTIFACT_STORE: "memory", DATABASE_URL: source } as const;
  return openStores(options, { ...settings, DATABASE_MIGRATIONS: "check", DATABASE_PASSWORD_FILE: "" });
}

async function openAdk(options: {
  readonly reader: SqlReader;
  readonly limits: SourceLimits;
  readonly tenantId: string | undefined;
}): Promise<SessionSource> {
  try {
    return await AdkDatabase.open(options);
  } catch (error) {
    await options.reader[Symbol.asyncDispose]();
    throw error;
  }
}

async function openStores(
  { config, clock, ids, logger, limits }: OpenSourceOptions,
  settings: Partial<StandaloneConfig>,
): Promise<SessionSource> {
  await using stack = new AsyncDisposableStack();
  const context = createStoreContext({
    config: { ...config, ...settings, QUOTAS_FILE: "" },
    clock,
    ids,
    logger,
    stack,
  });
  const { store: sessions } = await openSessionStore(context);
  const { store: artifacts } = await openArtifactStore(context);
  const owned = stack.move();
  return new FairleadStores({ sessions, artifacts, limits, dispose: () => owned.disposeAsync() });
}

function kindOf(path: string): "folder" | "sqlite" | "lines" | "missing" {
  try {
    if (statSync(path).isDirectory()) return "folder";
  } catch (error) {
    if (isAbsent(error)) return "missing";
    throw error;
  }
  const start = Buffer.alloc(SQLITE_HEADER.length);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return start.toString("latin1") === SQLITE_HEADER ? "sqlite" : "lines";
}
