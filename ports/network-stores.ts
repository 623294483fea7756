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
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import { encryptionWith, KEY_PROVIDER_RULE } from "#ports/encryption/given-key-provider.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { TabularEvalStore } from "#ports/evaluation/tabular-eval-store.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import {
  completeSessionLimits,
  type GivenSessionLimits,
  SESSION_LIMITS_RULE,
  type SessionLimits,
} from "#ports/sessions/session-limits.ts";
import {
  completeStorageLimits,
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";

/**
 * Options of all databases on a network. The clock decides whether leases have expired: the clocks of processes with one
 * database must differ by far less than 10 s.
 */
export interface NetworkStoresOptions extends ClockAndIdsOptions {
  /** Limits of a session's content; the server's by default. */
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

/** Sessions, runs, memory, evaluation sets and API keys in one database. Disposing closes its connections. */
export interface NetworkStores extends AsyncDisposable {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly memoryService: MemoryService;
  readonly evalStore: EvalStore;
  readonly evalJobStore: EvalJobStore;
  readonly keyStore: KeyStore;
  /** Absent without `credentialKeys`. */
  readonly credentialService?: (CredentialService & CredentialDirectory) | undefined;
}

export const NETWORK_STORES_RULES: OptionRules<NetworkStoresOptions> = {
  limits: SESSION_LIMITS_RULE,
  storage: STORAGE_LIMITS_RULE,
  keyProvider: KEY_PROVIDER_RULE,
  credentialKeys: record<GivenCredentialKeys>({ current: required(text), keys: required(object) }),
  maxRememberedSessions: integer(0),
  clock,
  ids,
};

/** The options of each store of a database. */
type StoreOptions = ReturnType<typeof completeClockAndIds> & {
  readonly sealer: ContentSealer | undefined;
  readonly storage: StorageLimits | undefined;
};

interface NetworkDatabase {
  readonly database: AsyncDisposable;
  /** The table of rows with this name. */
  readonly table: (name: string) => RowTable;
  readonly sessions: (
    options: StoreOptions & {
      readonly limits: SessionLimits;
      readonly maxRememberedSessions: number | undefined;
    },
  ) => SessionService & RunJournal;
  readonly memory: (options: StoreOptions) => MemoryService;
}

/** Checks the options of the function `owner`, and returns a function that makes the stores once the database is open. */
export function networkStores<Options extends NetworkStoresOptions>(
  owner: string,
  options: Options,
  rules: OptionRules<Options>,
): (database: NetworkDatabase) => NetworkStores {
  checkOptions(owner, options, rules);
  const keys = options.credentialKeys && completeCredentialKeys(owner, options.credentialKeys);
  const sources = completeClockAndIds(options);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const common = { ...sources, sealer: content?.sealer };
  const limitsOf = (kind: "memory" | "evaluations") => meteredLimits(options.storage, kind);
  const limits = completeSessionLimits(options.limits);
  const storage = completeStorageLimits(options.storage);
  const { maxRememberedSessions } = options;
  return ({ database, table, sessions, memory }) => {
    const plainSessions = sessions({ ...common, limits, storage, maxRememberedSessions });
    const plainMemory = memory({ ...common, storage: limitsOf("memory") });
    const own = content?.withKeys(plainSessions) ?? plainSessions;
    const credentials =
      keys &&
      new TabularCredentialService({
        ...sources,
        table: table("credentials"),
        sealer: new CredentialSealer(() => keys, content?.sealer),
      });
    return {
      sessionService: own,
      runJournal: own,
      memoryService: content?.withKeys(plainMemory) ?? plainMemory,
      evalStore: new TabularEvalStore({ ...sources, table: table("evaluations"), storage: limitsOf("evaluations") }),
      evalJobStore: new TabularEvalJobStore({ ...sources, table: table("eval-jobs") }),
      keyStore: new TabularKeyStore({ table: table("keys") }),
      credentialService: credentials && (content?.withKeys(credentials) ?? credentials),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  };
}
