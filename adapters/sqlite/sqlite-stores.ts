import { join } from "node:path";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import {
  checkOptions,
  clock,
  ids,
  integer,
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
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { completeSessionLimits, type GivenSessionLimits, SESSION_LIMITS_RULE } from "#ports/sessions/session-limits.ts";
import {
  completeStorageLimits,
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";
import { openDataDir } from "./data-dir.ts";
import { openCredentialKeyFile } from "./keys/credential-key-file.ts";
import { SqliteSessionStore } from "./sessions/sqlite-session-store.ts";
import { SqliteMemoryService } from "./sqlite-memory-service.ts";
import { SqliteRowTable } from "./sqlite-row-table.ts";

/** Options of `openSqliteStores`. */
export interface SqliteStoresOptions extends ClockAndIdsOptions {
  /**
   * The folder in which `sessions.sqlite`, `memory.sqlite`, `credentials.sqlite` and a file `lock` are created,
   * `keys.sqlite` if `keyStore` is used, and `credential-keys.yaml` without `credentialKeys`. Created if missing,
   * readable only by its owner.
   */
  readonly folder: string;
  /** Limits of a session's content; those of the server by default. */
  readonly limits?: GivenSessionLimits | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
  /** Encrypts content with a key for each tenant; content is stored as it is by default. */
  readonly keyProvider?: KeyProvider | undefined;
  /** The keys that seal users' credentials for tools; those of a file in the folder by default. */
  readonly credentialKeys?: GivenCredentialKeys | undefined;
  /** How many sessions, and users' shared states, are cached in memory; 10,000 by default. */
  readonly maxCachedSessions?: number | undefined;
}

/** Sessions, runs, memory, users' credentials and evaluations in SQLite. Disposing commits what is queued, closes the files and unlocks the folder. */
export interface SqliteStores extends AsyncDisposable {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly memoryService: MemoryService;
  readonly credentialService: CredentialService & CredentialDirectory;
  readonly evalJobStore: EvalJobStore;
  /** API keys, which `fairlead keys --data-dir FOLDER` can manage at the same time. Its file is opened on first access. */
  readonly keyStore: KeyStore;
}

const RULES: OptionRules<SqliteStoresOptions> = {
  folder: required(text),
  limits: SESSION_LIMITS_RULE,
  storage: STORAGE_LIMITS_RULE,
  keyProvider: KEY_PROVIDER_RULE,
  credentialKeys: record<GivenCredentialKeys>({ current: required(text), keys: required(object) }),
  maxCachedSessions: integer(0),
  clock,
  ids,
};

export async function openSqliteStores(options: SqliteStoresOptions): Promise<SqliteStores> {
  checkOptions("openSqliteStores", options, RULES);
  const sources = completeClockAndIds(options);
  const given = options.credentialKeys && completeCredentialKeys("openSqliteStores", options.credentialKeys);
  await using stack = new AsyncDisposableStack();
  const dataDir = openDataDir(options.folder, { use: "sqlite", otherFolder: "with the option folder" });
  stack.use(dataDir);
  const { maxCachedSessions } = options;
  const limits = completeSessionLimits(options.limits);
  const folder = dataDir.path;
  const storage = completeStorageLimits(options.storage);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const common = { ...sources, sealer: content?.sealer };
  const plainSessions = stack.use(new SqliteSessionStore({ folder, limits, storage, maxCachedSessions, ...common }));
  const plainMemory = stack.use(
    new SqliteMemoryService({
      ...{ ...common, path: join(folder, "memory.sqlite"), storage: meteredLimits(options.storage, "memory") },
    }),
  );
  const evalJobs = stack.use(new SqliteRowTable(join(folder, "eval-jobs.sqlite")));
  const evalJobStore = new TabularEvalJobStore({ table: evalJobs, clock: sources.clock });
  const sessions = content?.withKeys(plainSessions) ?? plainSessions;
  const credentialKeys = given ?? (await openCredentialKeyFile(folder));
  const sealer = new CredentialSealer(() => credentialKeys, content?.sealer);
  const credentials = stack.use(new SqliteRowTable(join(folder, "credentials.sqlite")));
  const plainCredentials = new TabularCredentialService({ table: credentials, clock: sources.clock, sealer });
  const owned = stack.move();
  let keys: KeyStore | undefined;
  return {
    sessionService: sessions,
    runJournal: sessions,
    memoryService: content?.withKeys(plainMemory) ?? plainMemory,
    credentialService: content?.withKeys(plainCredentials) ?? plainCredentials,
    evalJobStore,
    get keyStore(): KeyStore {
      keys ??= new TabularKeyStore({ table: owned.use(new SqliteRowTable(join(folder, "keys.sqlite"))) });
      return keys;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
