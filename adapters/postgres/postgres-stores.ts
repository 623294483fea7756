import type { Pool } from "pg";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import {
  checkOptions,
  clock,
  having,
  ids,
  integer,
  matching,
  type OptionRules,
  object,
  record,
  required,
  text,
} from "#kit/schema/check-options.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { KeyStore } from "#ports/api-keys/key-store.ts";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import { completeCredentialKeys, type GivenCredentialKeys } from "#ports/credentials/credential-keys.ts";
import { CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import { TabularCredentialService } from "#ports/credentials/tabular-credential-service.ts";
import { encryptionWith, KEY_PROVIDER_RULE } from "#ports/encryption/given-key-provider.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { completeSessionLimits, type GivenSessionLimits, SESSION_LIMITS_RULE } from "#ports/sessions/session-limits.ts";
import {
  completeStorageLimits,
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";
import { PostgresDatabase, type PostgresPoolOptions } from "./database/postgres-database.ts";
import { PostgresMemoryService } from "./postgres-memory-service.ts";
import { PostgresRowTable } from "./postgres-row-table.ts";
import { migrate } from "./schema/migrate.ts";
import { PostgresSessionStore } from "./sessions/postgres-session-store.ts";

/**
 * Options of `openPostgresStores`. The clock decides whether leases have expired: the clocks of processes with one
 * database must differ by far less than 10 s.
 */
export interface PostgresStoresOptions extends ClockAndIdsOptions {
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
  /** Limits of a session's content; those of the server by default. */
  readonly limits?: GivenSessionLimits | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
  /** Encrypts content with a key for each tenant; content is stored as it is by default. */
  readonly keyProvider?: KeyProvider | undefined;
  /** The keys that seal users' credentials for tools. Without them there is no credential service. */
  readonly credentialKeys?: GivenCredentialKeys | undefined;
  /** How many sessions' heads are remembered, so that appends need no reads; 10,000 by default. */
  readonly maxRememberedSessions?: number | undefined;
}

/** A `Pool` of the package `pg`, with the members that are checked. */
export interface PostgresPool {
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Sessions, runs, memory, evaluation sets and API keys in Postgres. Disposing closes the connections of a URL. */
export interface PostgresStores extends AsyncDisposable {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly memoryService: MemoryService;
  readonly evalStore: EvalStore;
  readonly evalJobStore: EvalJobStore;
  readonly keyStore: KeyStore;
  /** Absent without `credentialKeys`. */
  readonly credentialService?: (CredentialService & CredentialDirectory) | undefined;
}

const RULES: OptionRules<PostgresStoresOptions> = {
  url: text,
  pool: having("connect", "on"),
  passwordFile: text,
  caFile: text,
  maxConnections: integer(1),
  schema: matching("the name of a schema, such as fairlead", /^[a-z_][a-z0-9_]{0,62}$/),
  deadlineMs: integer(1, " milliseconds"),
  limits: SESSION_LIMITS_RULE,
  storage: STORAGE_LIMITS_RULE,
  keyProvider: KEY_PROVIDER_RULE,
  credentialKeys: record<GivenCredentialKeys>({ current: required(text), keys: required(object) }),
  maxRememberedSessions: integer(0),
  clock,
  ids,
};

export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  checkOptions("openPostgresStores", options, RULES);
  const keys = options.credentialKeys && completeCredentialKeys("openPostgresStores", options.credentialKeys);
  const { schema, deadlineMs, maxRememberedSessions } = options;
  const database = await PostgresDatabase.open({
    pool: poolOf(options),
    schema,
    deadlineMs,
    prepare: async (unprepared) => {
      await migrate(unprepared);
    },
  });
  const sources = completeClockAndIds(options);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const { sealer } = content ?? {};
  const tableOf = (name: string) => new PostgresRowTable({ database, name });
  const limits = completeSessionLimits(options.limits);
  const storage = completeStorageLimits(options.storage);
  const common = { database, sealer, ...sources };
  const plainSessions = new PostgresSessionStore({ ...common, limits, storage, maxRememberedSessions });
  const plainMemory = new PostgresMemoryService({ ...common, storage: meteredLimits(options.storage, "memory") });
  const sessions = content?.withKeys(plainSessions) ?? plainSessions;
  const credentials =
    keys &&
    new TabularCredentialService({
      ...sources,
      table: tableOf("credentials"),
      sealer: new CredentialSealer(() => keys, sealer),
    });
  return {
    sessionService: sessions,
    runJournal: sessions,
    memoryService: content?.withKeys(plainMemory) ?? plainMemory,
    evalStore: new TabularEvalStore({
      ...sources,
      table: tableOf("evaluations"),
      storage: meteredLimits(options.storage, "evaluations"),
    }),
    evalJobStore: new TabularEvalJobStore({ ...sources, table: tableOf("eval-jobs") }),
    keyStore: new TabularKeyStore({ table: tableOf("keys") }),
    credentialService: credentials && (content?.withKeys(credentials) ?? credentials),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
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
