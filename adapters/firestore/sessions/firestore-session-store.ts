import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { Event } from "#kit/events/event.ts";
import { isBlank, isIdentifier } from "#kit/names/identifiers.ts";
import { inTenant, isTenantId, type TenantScoped, tenantKey, tenantOf } from "#kit/names/tenant.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import { KeyedMutex } from "#kit/platform/keyed-mutex.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import { assertHeadsRequest, type JournalHead } from "#kit/sessions/journal-head.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  BeginRunRequest,
  BeginRunResult,
  FinishRunRequest,
  FinishRunResult,
  ListAbandonedRequest,
  ListRunsRequest,
  ListRunsResponse,
  RunJournal,
} from "#kit/sessions/run-journal.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import { type Session, type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type {
  ApplyStateDeltaRequest,
  CreateSessionRequest,
  GetSessionConfig,
  ListEventRecordsResponse,
  ListEventsRequest,
  ListEventsResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  SessionService,
} from "#kit/sessions/session-service.ts";
import { toListEventsResponse } from "#kit/sessions/session-service.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import type { SessionLimits } from "#ports/sessions/session-limits.ts";
import { TabularSessionStore } from "#ports/sessions/tabular-session-store.ts";
import {
  NO_STORAGE_LIMITS,
  type StorageCount,
  type StorageLimits,
  type StorageReader,
  type StoredAmounts,
  storageCount,
} from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner, type DataOwner } from "#ports/tenants/data-owner.ts";
import { readDataPage } from "#ports/tenants/data-pages.ts";
import type {
  DataDeletion,
  DataDeletions,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import type { FirestoreDatabase } from "../database/firestore-database.ts";
import { OwnedDocuments } from "../database/owned-documents.ts";
import { DEFAULT_ROOT_COLLECTION } from "../database/user-paths.ts";
import { fromCountDocument } from "./count-document.ts";
import { appendInParts, type EventSize, finishInParts, type RunWrites, sealedEventBytes } from "./event-parts.ts";
import { FirestoreDeletions } from "./firestore-deletions.ts";
import { FirestoreSessionTables } from "./firestore-session-tables.ts";
import { FirestoreSteps } from "./firestore-steps.ts";
import { type FirestoreHead, JOURNAL_HEAD_FIELDS, toJournalHead } from "./head-document.ts";
import { HeadMemory } from "./head-memory.ts";
import { ownedSessionItems, ownedSessionKeys } from "./owned-sessions.ts";
import { listAbandonedRuns, listRuns } from "./run-lists.ts";
import { runKeyPath, SessionPaths, USER_STATE_COLLECTION } from "./session-paths.ts";
import { SessionReads } from "./session-reads.ts";

export interface FirestoreSessionStoreOptions {
  readonly database: FirestoreDatabase;
  /** `fairlead` when absent. */
  readonly rootCollection?: string | undefined;
  /**
   * Decides whether leases have expired, as in every store: the clocks of several processes with one database must
   * differ by much less than the length of a lease.
   */
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly limits?: SessionLimits | undefined;
  readonly storage?: StorageLimits | undefined;
  /** Waits between attempts when writers compete for one session. */
  readonly sleep?: Sleep | undefined;
  /** How many sessions' heads are remembered, so that a run's appends need no reads. */
  readonly maxRememberedSessions?: number | undefined;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
}

/** The reads of an operation before it decides. They are functions, because keys are checked first. */
interface Reading {
  readonly prefetch: () => readonly string[];
  /** The same if the process remembers the session's head. */
  readonly prefetchIfRemembered?: () => readonly string[];
}

/** The reads of an operation whose session is known in advance. */
interface SessionReading extends Reading {
  readonly session: SessionKey;
}

type Store = TabularSessionStore<FirestoreHead>;

const DEFAULT_REMEMBERED_SESSIONS = 10_000;

/**
 * Sessions, runs and leases in Firestore, by the rules that all stores share. Each write is one batched commit under
 * preconditions: `begin` is one batched read and one commit; `append` and `finish` are one commit in the process that
 * began the run.
 */
export class FirestoreSessionStore implements SessionService, RunJournal, StorageReader, TenantData, DataDeletions {
  readonly #database: FirestoreDatabase;
  readonly #paths: SessionPaths;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #limits: SessionLimits | undefined;
  readonly #storage: StorageLimits;
  readonly #content: SessionContent;
  readonly #eventBytes: EventSize | undefined;
  readonly #sleep: Sleep;
  readonly #memory: HeadMemory;
  readonly #documents: OwnedDocuments;
  readonly #deletions: FirestoreDeletions;
  /** Concurrent writers of one process to one session would only invalidate each other's preconditions. */
  readonly #queue = new KeyedMutex();

  constructor(options: FirestoreSessionStoreOptions) {
    const { database, rootCollection, clock = systemClock, ids = new UuidV7Generator() } = options;
    this.#database = database;
    this.#paths = new SessionPaths(rootCollection);
    this.#clock = clock;
    this.#documents = new OwnedDocuments(database, rootCollection ?? DEFAULT_ROOT_COLLECTION);
    this.#deletions = new FirestoreDeletions(database, this.#paths.runsParent({}), clock);
    this.#ids = ids;
    this.#limits = options.limits;
    this.#storage = options.storage ?? NO_STORAGE_LIMITS;
    this.#content = new SessionContent(options.sealer);
    this.#eventBytes = options.sealer?.isSealing === true ? sealedEventBytes : undefined;
    this.#sleep = options.sleep ?? sleep;
    this.#memory = new HeadMemory(options.maxRememberedSessions ?? DEFAULT_REMEMBERED_SESSIONS);
  }

  async createSession(request: CreateSessionRequest): Promise<Session> {
    const id = isBlank(request.id) ? this.#ids.next() : request.id;
    const session = sessionKey({ ...request, id });
    const prefetch = () => [...this.#withState(session), ...this.#counts(session)];
    await this.#deletions.refresh();
    return this.#write({ session, prefetch }, (store) => store.createSession({ ...request, id: session.id }));
  }

  async getSession(key: SessionKey, config?: GetSessionConfig): Promise<Session | undefined> {
    return this.#storeFor({ prefetch: () => this.#withState(key) }, key).getSession(key, config);
  }

  async listSessions(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    return this.#storeFor({ prefetch: () => this.#sharedState(request) }, request).listSessions(request);
  }

  async deleteSession(key: SessionKey): Promise<void> {
    return this.#write(this.#onHead(key), (store) => store.deleteSession(key));
  }

  async listEvents(request: ListEventsRequest): Promise<ListEventsResponse> {
    return toListEventsResponse(await this.listEventRecords(request));
  }

  async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    return this.#storeFor(this.#onHead(request), request).listEventRecords(request);
  }

  async appendEvent(session: Session, event: Event): Promise<Event> {
    const prefetch = () => [this.#paths.head(session), ...this.#counts(session)];
    const reading = { session, prefetch, prefetchIfRemembered: () => this.#counts(session) };
    return this.#write(reading, (store) => store.appendEvent(session, event));
  }

  async closeSession(key: SessionKey): Promise<void> {
    return this.#write(this.#onHead(key), (store) => store.closeSession(key));
  }

  async applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session> {
    const prefetch = () => [...this.#withState(request), ...this.#counts(request)];
    return this.#write({ session: request, prefetch }, (store) => store.applyStateDelta(request));
  }

  async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    const { session, runId, idempotencyKey } = request;
    const prefetch = () => {
      const keys = idempotencyKey === undefined ? [] : [runKeyPath(this.#paths.head(session), idempotencyKey)];
      return [...this.#withState(session), this.#paths.run(runId, session), ...keys, ...this.#counts(session)];
    };
    await this.#deletions.refresh();
    return this.#write({ session, prefetch }, (store) => store.begin(request));
  }

  async readStorage(counts: readonly StorageCount[]): Promise<readonly StoredAmounts[]> {
    if (counts.length === 0) return [];
    const paths = counts.map((count) => this.#paths.stored(count));
    const documents = await this.#database.read([...new Set(paths)]);
    return paths.map((path) => fromCountDocument(documents.get(path)));
  }

  async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    const append = (part: AppendEventsRequest) => this.#write(this.#onLease(part.lease), (store) => store.append(part));
    return appendInParts(request, append, this.#eventBytes);
  }

  async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const leaseMs = Math.max(0, request.lease.expiresAt - this.#clock.now());
    const writes: RunWrites = {
      append: (part) => this.append({ ...part, leaseMs }),
      finish: (part) => this.#write(this.#onLease(part.lease), (store) => store.finish(part)),
    };
    return finishInParts(request, writes, this.#eventBytes);
  }

  async renew(lease: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    return this.#write(this.#onLease(lease), (store) => store.renew(lease, leaseMs));
  }

  async release(lease: Lease): Promise<RunRecord> {
    return this.#write(this.#onLease(lease), (store) => store.release(lease));
  }

  async cancel(runId: string, tenantId?: string): Promise<RunRecord> {
    const reading = this.#onRun(runId, inTenant(tenantId));
    if (reading === undefined) throw new RunNotFoundError(runId);
    return this.#storeFor(reading, inTenant(tenantId)).cancel(runId, tenantId);
  }

  async get(runId: string, tenantId?: string): Promise<RunRecord | undefined> {
    const reading = this.#onRun(runId, inTenant(tenantId));
    return reading && this.#storeFor(reading, inTenant(tenantId)).get(runId, tenantId);
  }

  async list(request: ListRunsRequest): Promise<ListRunsResponse> {
    return listRuns(this.#database, { paths: this.#paths, content: this.#content }, request);
  }

  async getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    assertHeadsRequest(sessions);
    if (sessions.length === 0) return [];
    const paths = sessions.map((session) => this.#paths.head(session));
    const documents = await this.#database.read([...new Set(paths)], JOURNAL_HEAD_FIELDS);
    return paths.map((path) => {
      const document = documents.get(path);
      return document && toJournalHead(document);
    });
  }

  async listAbandoned(request: ListAbandonedRequest): Promise<readonly RunRecord[]> {
    const places = { paths: this.#paths, content: this.#content };
    return listAbandonedRuns(this.#database, places, { ...request, now: this.#clock.now() });
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    const source = { documents: this.#documents, content: this.#content };
    return readDataPage(request, (place) => ownedSessionItems(source, request, place));
  }

  /** A user's sessions are deleted one by one, with what is counted of them. */
  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const { userId, limit } = request;
    if (userId === undefined) return this.#documents.deleteTenant(request);
    let deleted = 0;
    for await (const { key } of ownedSessionKeys(this.#documents, request)) {
      if (deleted === limit) return { deleted, isDone: false };
      await this.deleteSession(key);
      deleted += 1;
    }
    for await (const document of this.#documents.inCollections(request, USER_STATE_COLLECTION))
      await this.#documents.delete([document]);
    return { deleted, isDone: true };
  }

  async beginDeletion(owner: DataOwner): Promise<DataDeletion> {
    assertDataOwner(owner);
    return this.#deletions.beginDeletion(owner);
  }

  async endDeletion(owner: DataOwner): Promise<void> {
    assertDataOwner(owner);
    await this.#deletions.endDeletion(owner);
  }

  listDeletions(): Promise<readonly DataDeletion[]> {
    return this.#deletions.listDeletions();
  }

  /** Undefined for names that no run has. */
  #onRun(runId: string, tenant: TenantScoped): Reading | undefined {
    if (!isIdentifier(runId) || !isTenantId(tenantOf(tenant))) return undefined;
    return { prefetch: () => [this.#paths.run(runId, tenant)] };
  }

  /** The documents that decide whether something more has room. */
  #counts(session: SessionKey): readonly string[] {
    return this.#storage.counted.map((scope) => this.#paths.stored(storageCount(scope, session)));
  }

  #onHead(session: SessionKey): SessionReading {
    return { session, prefetch: () => [this.#paths.head(session)] };
  }

  #onLease({ session, runId }: Lease): SessionReading {
    const prefetch = () => [this.#paths.head(session), this.#paths.run(runId, session)];
    return { session, prefetch, prefetchIfRemembered: () => [] };
  }

  #withState(session: SessionKey): readonly string[] {
    return [this.#paths.head(session), ...this.#sharedState(session)];
  }

  #sharedState(owner: Omit<SessionKey, "id">): readonly string[] {
    return [this.#paths.appState(owner), this.#paths.userState(owner)];
  }

  #write<T>(reading: SessionReading, operation: (store: Store) => Promise<T>): Promise<T> {
    const { session } = reading;
    const { tenantId, appName, userId, id } = session;
    // Identifiers have no control characters, so no two sessions share a queue.
    const name = tenantKey(`${appName}\n${userId}\n${id}`, tenantId);
    return this.#queue.run(name, () => operation(this.#storeFor(reading, session, session)));
  }

  /** The rules of all stores on the data that one operation reads and writes. */
  #storeFor({ prefetch, prefetchIfRemembered = prefetch }: Reading, tenant: TenantScoped, session?: SessionKey): Store {
    const database = this.#database;
    const paths = this.#paths;
    const memory = this.#memory;
    const reads = new SessionReads(database);
    const tables = new FirestoreSessionTables({
      database,
      paths,
      reads,
      content: this.#content,
      newIncarnation: () => this.#ids.next(),
      remembered: (path) => memory.get(path),
      deletions: this.#deletions.known,
    });
    const steps = new FirestoreSteps({
      database,
      tables,
      reads,
      memory,
      prefetch,
      prefetchIfRemembered,
      sleep: this.#sleep,
      runsParent: paths.runsParent(tenant),
      headPath: () => session && paths.head(session),
    });
    return new TabularSessionStore({
      tables,
      steps,
      clock: this.#clock,
      ids: this.#ids,
      limits: this.#limits,
      storage: this.#storage,
    });
  }
}
