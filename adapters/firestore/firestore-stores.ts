import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { Embedder } from "#kit/memory/embedder.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import type { Logger } from "#kit/platform/logger.ts";
import {
  checkOptions,
  clock,
  having,
  ids,
  integer,
  logger,
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
import { FirestoreDatabase } from "./database/firestore-database.ts";
import { FirestoreMemoryService } from "./firestore-memory-service.ts";
import { FirestoreRowTable } from "./firestore-row-table.ts";
import { FirestoreSessionStore } from "./sessions/firestore-session-store.ts";

/**
 * Options of `openFirestoreStores`. The clock decides whether leases have expired: the clocks of processes with one
 * database must differ by far less than 10 s.
 */
export interface FirestoreStoresOptions extends ClockAndIdsOptions {
  /** The Google Cloud project. */
  readonly projectId: string;
  /** `(default)` by default. */
  readonly databaseId?: string | undefined;
  /** The collection that holds everything; `fairlead` by default. */
  readonly root?: string | undefined;
  /** Host and port of an emulator, which is called without encryption and credentials. */
  readonly emulatorHost?: string | undefined;
  /** The time limit of one call, in milliseconds; 10,000 by default. */
  readonly deadlineMs?: number | undefined;
  /** Finds memory by meaning too, such as a `GeminiEmbedder`; without it only by words. */
  readonly embedder?: Embedder | undefined;
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
  readonly logger?: Logger | undefined;
}

/** Sessions, runs, memory, evaluation sets and API keys in Firestore. Disposing closes the connection. */
export interface FirestoreStores extends AsyncDisposable {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly memoryService: MemoryService;
  readonly evalStore: EvalStore;
  readonly evalJobStore: EvalJobStore;
  readonly keyStore: KeyStore;
  /** Absent without `credentialKeys`. */
  readonly credentialService?: (CredentialService & CredentialDirectory) | undefined;
}

const RULES: OptionRules<FirestoreStoresOptions> = {
  projectId: required(text),
  databaseId: text,
  root: matching("the path of a collection, such as fairlead", /^[^/]+(?:\/[^/]+\/[^/]+)*$/),
  emulatorHost: matching("host:port", /^[^/\s]+:\d{1,5}$/),
  deadlineMs: integer(1, " milliseconds"),
  embedder: having("embed"),
  limits: SESSION_LIMITS_RULE,
  storage: STORAGE_LIMITS_RULE,
  keyProvider: KEY_PROVIDER_RULE,
  credentialKeys: record<GivenCredentialKeys>({ current: required(text), keys: required(object) }),
  maxRememberedSessions: integer(0),
  clock,
  ids,
  logger,
};

export function openFirestoreStores(options: FirestoreStoresOptions): FirestoreStores {
  checkOptions("openFirestoreStores", options, RULES);
  const keys = options.credentialKeys && completeCredentialKeys("openFirestoreStores", options.credentialKeys);
  const { projectId, databaseId, emulatorHost, deadlineMs, root, maxRememberedSessions } = options;
  const database = new FirestoreDatabase({ projectId, databaseId, emulatorHost, deadlineMs });
  const sources = completeClockAndIds(options);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const common = { database, root, ...sources };
  const tableOf = (name: string) => new FirestoreRowTable({ database, root, name });
  const { sealer } = content ?? {};
  const { embedder, logger: log } = options;
  const limits = completeSessionLimits(options.limits);
  const storage = completeStorageLimits(options.storage);
  const plainSessions = new FirestoreSessionStore({
    ...{ ...common, rootCollection: root, limits, storage, maxRememberedSessions, sealer },
  });
  const memoryLimits = meteredLimits(options.storage, "memory");
  const plainMemory = new FirestoreMemoryService({ ...common, embedder, logger: log, sealer, storage: memoryLimits });
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
    evalJobStore: new TabularEvalJobStore({
      ...sources,
      table: tableOf("eval-jobs"),
    }),
    keyStore: new TabularKeyStore({ table: tableOf("keys") }),
    credentialService: credentials && (content?.withKeys(credentials) ?? credentials),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
