// The exports of `fairlead/stores`. Importing it loads no SDK and no database: each function loads its own when it is
// called. The caller disposes of what a function returns, after the runners that use it were closed. Errors of the
// functions are `PlatformError`s: `INVALID_FIELD` names an option that is unknown, missing or wrong, and
// `PACKAGE_MISSING` an npm package that is not installed.

import type { AzureArtifacts, AzureArtifactsOptions } from "#adapters/azure/azure-artifacts.ts";
import type {
  BigQueryAgentAnalyticsOptions,
  BigQueryAgentAnalyticsPlugin,
} from "#adapters/bigquery/bigquery-agent-analytics-plugin.ts";
import type { FileStores, FileStoresOptions } from "#adapters/files/file-stores.ts";
import type { FirestoreStores, FirestoreStoresOptions } from "#adapters/firestore/firestore-stores.ts";
import type { CloudStorageArtifacts, CloudStorageArtifactsOptions } from "#adapters/gcs/cloud-storage-artifacts.ts";
import type { CloudKmsKeyProviderOptions } from "#adapters/kms/cloud-kms-key-provider.ts";
import type { PostgresStores, PostgresStoresOptions } from "#adapters/postgres/postgres-stores.ts";
import type { RedisRunStreamSettings, RedisRunTransport } from "#adapters/redis/redis-run-transport.ts";
import type { S3Artifacts, S3ArtifactsOptions } from "#adapters/s3/s3-artifacts.ts";
import type { SqliteStores, SqliteStoresOptions } from "#adapters/sqlite/sqlite-stores.ts";
import type { Stores } from "#adapters/stores.ts";
import type { ManagedSessionStore, ManagedSessionStoreOptions } from "#adapters/vertex/managed-session-store.ts";
import type {
  VertexAiMemoryBankService,
  VertexAiMemoryBankServiceOptions,
} from "#adapters/vertex/vertex-ai-memory-bank-service.ts";
import type {
  VertexAiSessionService,
  VertexAiSessionServiceOptions,
} from "#adapters/vertex/vertex-ai-session-service.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import {
  checkOptions,
  clock,
  ids,
  integer,
  type OptionRules,
  object,
  required,
  text,
} from "#kit/schema/check-options.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { createLocalKeyProvider, type LocalKeys } from "#ports/encryption/given-tenant-keys.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { completeSessionLimits, type GivenSessionLimits, SESSION_LIMITS_RULE } from "#ports/sessions/session-limits.ts";
import {
  completeStorageLimits,
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";

export type { AzureArtifacts, AzureArtifactsOptions } from "#adapters/azure/azure-artifacts.ts";
export type {
  BigQueryAgentAnalyticsOptions,
  BigQueryAgentAnalyticsPlugin,
} from "#adapters/bigquery/bigquery-agent-analytics-plugin.ts";
export type { AnalyticsEndpoints } from "#adapters/bigquery/bigquery-sink.ts";
export type { FileStores, FileStoresOptions } from "#adapters/files/file-stores.ts";
export type { FirestoreStores, FirestoreStoresOptions } from "#adapters/firestore/firestore-stores.ts";
export type { CloudStorageArtifacts, CloudStorageArtifactsOptions } from "#adapters/gcs/cloud-storage-artifacts.ts";
export type { CloudKmsKeyProviderOptions } from "#adapters/kms/cloud-kms-key-provider.ts";
export type { PostgresPool, PostgresStores, PostgresStoresOptions } from "#adapters/postgres/postgres-stores.ts";
export type { RedisRunStreamSettings, RedisRunTransport } from "#adapters/redis/redis-run-transport.ts";
export type { S3Credentials } from "#adapters/s3/create-s3-artifact-service.ts";
export type { S3Artifacts, S3ArtifactsOptions } from "#adapters/s3/s3-artifacts.ts";
export type { SqliteStores, SqliteStoresOptions } from "#adapters/sqlite/sqlite-stores.ts";
export type { AgentPlatformOptions, RequestAuthentication } from "#adapters/vertex/agent-platform-options.ts";
export type { ManagedSessionStore, ManagedSessionStoreOptions } from "#adapters/vertex/managed-session-store.ts";
export type {
  GeneratedMemory,
  VertexAiMemoryBankService,
  VertexAiMemoryBankServiceOptions,
} from "#adapters/vertex/vertex-ai-memory-bank-service.ts";
export type {
  VertexAiCreateSessionRequest,
  VertexAiSessionService,
  VertexAiSessionServiceOptions,
} from "#adapters/vertex/vertex-ai-session-service.ts";
export type {
  CredentialDirectory,
  CredentialSummary,
  CredentialUser,
} from "#ports/credentials/credential-directory.ts";
export type { GivenCredentialKeys } from "#ports/credentials/credential-keys.ts";
export type { LocalKeys } from "#ports/encryption/given-tenant-keys.ts";
export type { KeyProvider } from "#ports/encryption/key-provider.ts";
export {
  ConsolidatedMemoryService,
  type ConsolidatedMemoryServiceOptions,
  type Consolidation,
} from "#ports/memory/consolidated-memory-service.ts";
export type { RunTransport } from "#ports/runs/run-transport.ts";

export type { GivenStorageLimits } from "#ports/storage-limits/given-storage-limits.ts";

// The forms of what stores hold, for programs that read and write it.

export type {
  ArtifactKey,
  ArtifactVersion,
  ListArtifactsResponse,
  ListArtifactVersionsResponse,
  SaveArtifactRequest,
} from "#kit/artifacts/artifact-service.ts";
export { liveRequestFromJson } from "#kit/core/context/live-request.ts";
export type { CredentialOwner, StoredCredential } from "#kit/credentials/credential-service.ts";
export { eventFromJson } from "#kit/events/event-json.ts";
export { type EventRecord, fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
export {
  APP_NAME_KEY,
  APP_STATE_COLLECTION,
  AUTHOR_KEY,
  EVENTS_SUBCOLLECTION_NAME,
  ID_KEY,
  MODEL_KEY,
  STATE_KEY,
  TIMESTAMP_KEY,
  UPDATE_TIME_KEY,
  USER_ID_KEY,
  USER_KEY,
} from "#kit/sessions/document-keys.ts";
export type { RunJournal } from "#kit/sessions/run-journal.ts";
export { lastUpdateTimeAsDouble, setLastUpdateTimeSeconds } from "#kit/sessions/session.ts";
export { sessionFromJson, sessionKeyFromJson } from "#kit/sessions/session-json.ts";
export type {
  CreateSessionRequest,
  GetSessionConfig,
  ListEventsResponse,
  ListSessionsResponse,
} from "#kit/sessions/session-service.ts";

/** Options of `inMemoryStores`; it may have none. */
export interface InMemoryStoresOptions extends ClockAndIdsOptions {
  /** Limits of a session's content; those of the server by default. */
  readonly limits?: GivenSessionLimits | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
}

/** All stores in the memory of the process. Disposing does nothing: the data ends with the objects. */
export interface InMemoryStores extends Stores, AsyncDisposable {}

const IN_MEMORY_RULES: OptionRules<InMemoryStoresOptions> = {
  limits: SESSION_LIMITS_RULE,
  storage: STORAGE_LIMITS_RULE,
  clock,
  ids,
};

/** Creates stores in memory, for tests and for data that need not outlive the process. */
export function inMemoryStores(options: InMemoryStoresOptions = {}): InMemoryStores {
  checkOptions("inMemoryStores", options, IN_MEMORY_RULES);
  const sources = completeClockAndIds(options);
  const sessions = new InMemorySessionStore({
    ...sources,
    limits: completeSessionLimits(options.limits),
    storage: completeStorageLimits(options.storage),
  });
  return {
    sessionService: sessions,
    runJournal: sessions,
    artifactService: new InMemoryArtifactService({ ...sources, storage: meteredLimits(options.storage, "artifacts") }),
    memoryService: new InMemoryMemoryService({ ...sources, storage: meteredLimits(options.storage, "memory") }),
    evalStore: new InMemoryEvalStore({ ...sources, storage: meteredLimits(options.storage, "evaluations") }),
    credentialService: new InMemoryCredentialService(sources),
    evalJobStore: new TabularEvalJobStore({ ...sources, table: new InMemoryRowTable() }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Opens sessions, runs, memory, users' credentials and evaluations in SQLite files of a folder, the same that `fairlead
 * serve` uses as DATA_DIR. Acknowledged writes survive a kill of the process and a power failure. The folder is locked
 * until the stores are disposed of. Throws `DATA_DIR_IN_USE` if another process, or another call in this one, uses it,
 * `DATA_DIR_UNWRITABLE`, `CONFIGURATION` for files of another version, and `STORE_UNAVAILABLE` for a damaged file.
 * Credentials are sealed with the keys of the option `credentialKeys`, or of a file that is created in the folder.
 */
export async function openSqliteStores(options: SqliteStoresOptions): Promise<SqliteStores> {
  const opener = await import("#adapters/sqlite/sqlite-stores.ts");
  return opener.openSqliteStores(options);
}

/**
 * Opens artifacts and evaluation sets as files of a folder, which may be the folder of `openSqliteStores`. The folder
 * is locked until the stores are disposed of. Throws `DATA_DIR_IN_USE` and `DATA_DIR_UNWRITABLE` as `openSqliteStores`
 * does.
 */
export async function openFileStores(options: FileStoresOptions): Promise<FileStores> {
  const [{ createFileStores }, { openDataDir }] = await Promise.all([
    import("#adapters/files/file-stores.ts"),
    import("#adapters/sqlite/data-dir.ts"),
  ]);
  return createFileStores(options, (folder) =>
    openDataDir(folder, { use: "files", otherFolder: "with the option folder" }),
  );
}

/**
 * Opens sessions, runs, memory and evaluation sets in Firestore, with Google's default credentials, for any number of
 * processes; and users' credentials with the option `credentialKeys`. The first call of a store connects: with a wrong
 * project or missing permissions that call fails, with `STORE_UNAVAILABLE`. Disposing closes the connection.
 */
export async function openFirestoreStores(options: FirestoreStoresOptions): Promise<FirestoreStores> {
  const opener = await importOptional({
    name: "@google-cloud/firestore",
    user: "Stores in Firestore",
    load: () => import("#adapters/firestore/firestore-stores.ts"),
  });
  return opener.openFirestoreStores(options);
}

/**
 * Opens sessions, runs, memory and evaluation sets in Postgres 14 or newer, for any number of processes; and users'
 * credentials with the option `credentialKeys`. It takes a URL, or a `Pool` of the package `pg`. The first call of a store
 * connects and brings the schema up to date: while the server does not answer, calls fail with `STORE_UNAVAILABLE`.
 * Throws `CONFIGURATION` for a URL or a file that cannot be used. Disposing closes the connections of a URL.
 */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  const opener = await importOptional({
    name: "pg",
    user: "Stores in Postgres",
    load: () => import("#adapters/postgres/postgres-stores.ts"),
  });
  return opener.openPostgresStores(options);
}

/**
 * Opens artifacts in a bucket of Cloud Storage, with Google's default credentials, for any number of processes. The
 * first call of the service connects. Throws `CONFIGURATION` for a name that no bucket can have.
 */
export async function openCloudStorageArtifacts(options: CloudStorageArtifactsOptions): Promise<CloudStorageArtifacts> {
  const opener = await importOptional({
    name: "@google-cloud/storage",
    user: "Artifacts in Cloud Storage",
    load: () => import("#adapters/gcs/cloud-storage-artifacts.ts"),
  });
  return opener.openCloudStorageArtifacts(options);
}

/**
 * Opens artifacts in a bucket of AWS, or on another S3 server that honours conditional writes, for any number of
 * processes. Throws `CONFIGURATION` for a server that ignores the conditions. While the server does not answer, calls of
 * the service fail with `STORE_UNAVAILABLE`. Disposing closes the connections.
 */
export async function openS3Artifacts(options: S3ArtifactsOptions): Promise<S3Artifacts> {
  const opener = await importOptional({
    name: "@aws-sdk/client-s3",
    user: "Artifacts on S3",
    load: () => import("#adapters/s3/s3-artifacts.ts"),
  });
  return opener.openS3Artifacts(options);
}

/**
 * Opens artifacts in a container of Azure Blob Storage, for any number of processes. The first call of the service
 * connects. Throws `CONFIGURATION` for a URL that names no container.
 */
export async function openAzureArtifacts(options: AzureArtifactsOptions): Promise<AzureArtifacts> {
  const opener = await importOptional({
    name: "@azure/storage-blob",
    user: "Artifacts on Azure",
    load: () => import("#adapters/azure/azure-artifacts.ts"),
  });
  return opener.openAzureArtifacts(options);
}

/**
 * Keys of tenants in the memory of the program, for the option `keyProvider`. They are copied. Content of a tenant without a
 * key can be neither stored nor read (`CONTENT_KEY_UNAVAILABLE`). Throws `INVALID_FIELD` for a wrong key, without its bytes.
 */
export function localKeyProvider(keys: LocalKeys): KeyProvider {
  checkOptions("localKeyProvider", keys, { tenants: required(object) });
  return createLocalKeyProvider(keys);
}

/**
 * Opens the keys of tenants in Cloud KMS, for the option `keyProvider`. The keys never leave Cloud KMS. The first call
 * of the provider connects, with Google's default credentials. There is nothing to close. Throws `CONFIGURATION` for a
 * name that is not the name of a key, or does not contain `{tenant}`.
 */
export async function openCloudKmsKeys(options: CloudKmsKeyProviderOptions): Promise<KeyProvider> {
  checkOptions("openCloudKmsKeys", options, KMS_RULES);
  const { CloudKmsKeyProvider } = await importOptional({
    name: "google-auth-library",
    user: "Keys in Cloud KMS",
    load: () => import("#adapters/kms/cloud-kms-key-provider.ts"),
  });
  return new CloudKmsKeyProvider(options);
}

const KMS_RULES: OptionRules<CloudKmsKeyProviderOptions> = {
  keyName: required(text),
  apiEndpoint: text,
  deadlineMs: integer(1, " milliseconds"),
};

/**
 * Connects to Redis and returns the services that runs need where several processes serve the same sessions: streams of
 * runs, traces, idempotency keys, notifications between runners, and quotas. Resolves with the first connection;
 * disposing closes it. Later outages are logged. During an outage partial events are lost, and calls that need
 * idempotency keys or quotas fail with `STORE_UNAVAILABLE`. Throws `CONFIGURATION` unless exactly one address is given,
 * and `STORE_UNAVAILABLE` if Redis accepts no connection within `connectTimeoutMs`.
 */
export async function openRedisRunStream(options: RedisRunStreamSettings): Promise<RedisRunTransport> {
  const opener = await import("#adapters/redis/redis-run-transport.ts");
  return opener.openRedisRunTransport(options);
}

/**
 * The plugin that records what runs do in a table of BigQuery. The first rows connect, with Google's default credentials
 * unless the options have others. Whoever closes the app of the plugin closes it.
 *
 * @example
 * ```ts
 * import { App, LlmAgent } from "fairlead/kit";
 * import { openBigQueryAgentAnalyticsPlugin } from "fairlead/stores";
 *
 * const rootAgent = new LlmAgent({ name: "helper", model: "demo/chat" });
 * const analytics = await openBigQueryAgentAnalyticsPlugin({ projectId: "my-project", datasetId: "agents" });
 *
 * export const app = new App({ name: "shop", rootAgent, plugins: [analytics] });
 * ```
 */
export async function openBigQueryAgentAnalyticsPlugin(
  options: BigQueryAgentAnalyticsOptions,
): Promise<BigQueryAgentAnalyticsPlugin> {
  const plugin = await import("#adapters/bigquery/bigquery-agent-analytics-plugin.ts");
  return new plugin.BigQueryAgentAnalyticsPlugin(options);
}

/**
 * Sessions of Google's Agent Platform (Vertex AI Agent Engine). The first call connects, with Google's default credentials
 * unless the options have others.
 */
export async function openVertexAiSessionService(
  options: VertexAiSessionServiceOptions,
): Promise<VertexAiSessionService> {
  const service = await import("#adapters/vertex/vertex-ai-session-service.ts");
  return new service.VertexAiSessionService(options);
}

/** Memory Bank of Google's Agent Platform. The first call connects, as with `openVertexAiSessionService`. */
export async function openVertexAiMemoryBankService(
  options: VertexAiMemoryBankServiceOptions,
): Promise<VertexAiMemoryBankService> {
  const service = await import("#adapters/vertex/vertex-ai-memory-bank-service.ts");
  return new service.VertexAiMemoryBankService(options);
}

/** Joins managed sessions to one of our stores, which has the runs and their leases. Disposing closes neither of them. */
export async function openManagedSessionStore(options: ManagedSessionStoreOptions): Promise<ManagedSessionStore> {
  const store = await import("#adapters/vertex/managed-session-store.ts");
  return new store.ManagedSessionStore(options);
}
