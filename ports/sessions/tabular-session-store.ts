import { PlatformError } from "#kit/errors/platform-error.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { Event } from "#kit/events/event.ts";
import { fromEventRecord, type StoredEvent, toOutsideRecord } from "#kit/events/event-record.ts";
import { EVALUATION_SESSION_PREFIX } from "#kit/events/state-prefixes.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier, assertSessionKey, isBlank, isIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant, DEFAULT_TENANT, inTenant, isTenantId } from "#kit/names/tenant.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject } from "#kit/platform/json.ts";
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
import { applyDelta } from "#kit/sessions/state-delta.ts";
import type { StorageCount, StorageReader, StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner, type DataOwner, dataOwner } from "#ports/tenants/data-owner.ts";
import { type IdlePage, type IdleSessions, type ListIdleRequest, MAX_IDLE_PAGE } from "#ports/tenants/idle-sessions.ts";
import {
  assertOldItems,
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
  oldPage,
  oldRange,
} from "#ports/tenants/old-data.ts";
import type {
  DataDeletion,
  DataDeletions,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import type { OperationRunner } from "./operation-runner.ts";
import { assertPageSize, decodePageToken, encodePageToken } from "./page-token.ts";
import type { SessionHead } from "./session-head.ts";
import type { ImportSessionRequest, SessionImports } from "./session-imports.ts";
import { assertImportedEvents, DEFAULT_SESSION_LIMITS, type SessionLimits } from "./session-limits.ts";
import type { OutsideAppend } from "./session-operations.ts";
import { assertStreamKey } from "./stream-key.ts";

/** Old runs that are deleted in one step: a session's other writers wait for it. */
const RUNS_OF_COMMIT = 25;

export interface TabularStoreOptions<Head extends SessionHead> {
  readonly runner: OperationRunner<Head>;
  readonly ids: IdGenerator;
  readonly limits?: SessionLimits | undefined;
}

/** Sessions, runs and leases: checks requests and runs their operations, which all stores share. */
export class TabularSessionStore<Head extends SessionHead>
  implements SessionService, RunJournal, StorageReader, TenantData, DataDeletions, IdleSessions, OldData, SessionImports
{
  protected readonly runner: OperationRunner<Head>;
  readonly #ids: IdGenerator;
  readonly #limits: SessionLimits;

  constructor({ runner, ids, limits }: TabularStoreOptions<Head>) {
    this.runner = runner;
    this.#ids = ids;
    this.#limits = limits ?? DEFAULT_SESSION_LIMITS;
  }

  async createSession(request: CreateSessionRequest): Promise<Session> {
    const id = isBlank(request.id) ? this.#ids.next() : request.id;
    const key = sessionKey({ ...request, id });
    assertSessionKey(key);
    assertImportedEvents(request.events?.length ?? 0, this.#limits);
    const events = (request.events ?? []).filter((event) => event.partial !== true).map(toOutsideRecord);
    const state = jsonCopy(request.state ?? {});
    return this.runner.write((operations) => operations.createSession(key, state, events), key);
  }

  async importSession({ events, ...given }: ImportSessionRequest): Promise<boolean> {
    const key = sessionKey(given.key);
    assertSessionKey(key);
    assertImportedEvents(events.length, this.#limits);
    assertNotNegative({ lastUpdateTime: given.lastUpdateTime, closedTime: given.closedTime });
    const records = events.map(toOutsideRecord);
    const request = { ...given, key, state: jsonCopy(given.state) };
    return this.runner.write((operations) => operations.importSession(request, records), key);
  }

  async getSession(key: SessionKey, config: GetSessionConfig = {}): Promise<Session | undefined> {
    assertSessionKey(key);
    assertNotNegative({ ...config });
    return this.runner.read((operations) => operations.getSession(key, config));
  }

  async listSessions(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { tenantId, appName, userId, pageSize, maxCharacters, pageToken } = request;
    assertAppScope(request);
    assertIdentifier("userId", userId);
    assertPageSize(pageSize);
    assertNotNegative({ maxCharacters });
    const after = pageToken === undefined ? undefined : decodePageToken("sessions", pageToken);
    const options = {
      hiddenIdPrefix: EVALUATION_SESSION_PREFIX,
      after: after && { lastUpdateTime: after.number, id: after.id },
      limit: pageSize === undefined ? undefined : pageSize + 1,
      maxCharacters,
    };
    const owner = { ...inTenant(tenantId), appName, userId };
    const isApart = request.sharedState === "apart";
    return this.runner.read((operations) => operations.listSessions({ owner, options, pageSize, isApart }));
  }

  async deleteSession(key: SessionKey): Promise<void> {
    assertSessionKey(key);
    return this.runner.write((operations) => operations.deleteSession(key), key);
  }

  async listEvents(request: ListEventsRequest): Promise<ListEventsResponse> {
    return toListEventsResponse(await this.listEventRecords(request));
  }

  async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    assertSessionKey(request);
    const { pageSize, pageToken, afterRevision = 0, fromHistoryStart = false, afterTimestamp = 0 } = request;
    const { maxCharacters, maxEventCharacters } = request;
    assertPageSize(pageSize);
    assertNotNegative({ afterTimestamp, maxCharacters, maxEventCharacters });
    const after = pageToken === undefined ? afterRevision : decodePageToken("events", pageToken).number;
    return this.runner.read((operations) =>
      operations.listEvents(request, {
        fromHistoryStart,
        afterRevision: after,
        afterTimestamp,
        maxCharacters,
        maxEventCharacters,
        limit: pageSize,
      }),
    );
  }

  async appendEvent(session: Session, event: Event): Promise<Event> {
    if (event.partial === true) return event;
    assertSessionKey(session);
    const record = toOutsideRecord(event);
    const news = await this.appendOutside({ session, event, record });
    for (const stored of news) applyStored(session, stored, stored.id === event.id ? event : undefined);
    return event;
  }

  /** Stores the event, and returns the stored events that the session object lacks. */
  protected async appendOutside(append: OutsideAppend): Promise<readonly StoredEvent[]> {
    const [outcome] = await this.runner.write(
      (operations) => operations.appendEvents(append.session, [append]),
      append.session,
    );
    if (outcome instanceof PlatformError) throw outcome;
    return outcome ?? [];
  }

  async closeSession(key: SessionKey): Promise<void> {
    assertSessionKey(key);
    return this.runner.write((operations) => operations.closeSession(key), key);
  }

  async applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session> {
    assertSessionKey(request);
    return this.runner.write((operations) => operations.applyStateDelta(request), request);
  }

  async readStorage(counts: readonly StorageCount[]): Promise<readonly StoredAmounts[]> {
    return this.runner.read((operations) => operations.readStorage(counts));
  }

  async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    const { session, returnOnCommit } = request;
    assertSessionKey(session);
    assertIdentifier("runId", request.runId);
    if (request.idempotencyKey !== undefined) assertIdentifier("idempotencyKey", request.idempotencyKey);
    if (request.streamKey !== undefined) assertStreamKey(request.streamKey);
    for (const name of ["agentRevision", "movesFrom", "leftFor"] as const) {
      const value = request[name];
      if (value !== undefined) assertIdentifier(name, value);
    }
    if (returnOnCommit !== true || this.runner.commit === undefined)
      return this.runner.write((operations) => operations.begin(request), session);
    const { value, durable } = await this.runner.commit((operations) => operations.begin(request));
    if (value.kind === "started") return { ...value, durable };
    await durable;
    return value;
  }

  async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    return this.runner.write((operations) => operations.append(request), request.lease.session);
  }

  async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    return this.runner.write((operations) => operations.finish(request), request.lease.session);
  }

  async renew(lease: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    return this.runner.write((operations) => operations.renew(lease, leaseMs), lease.session);
  }

  async release(lease: Lease): Promise<RunRecord> {
    return this.runner.write((operations) => operations.release(lease), lease.session);
  }

  async cancel(runId: string, tenantId?: string): Promise<RunRecord> {
    if (!isRunName(runId, tenantId)) throw new RunNotFoundError(runId);
    return this.runner.write((operations) => operations.cancel(runId, inTenant(tenantId)));
  }

  async get(runId: string, tenantId?: string): Promise<RunRecord | undefined> {
    if (!isRunName(runId, tenantId)) return undefined;
    return this.runner.read((operations) => operations.get(runId, inTenant(tenantId)));
  }

  async list({ pageSize, maxCharacters, pageToken, ...filter }: ListRunsRequest): Promise<ListRunsResponse> {
    if (filter.session !== undefined) assertSessionKey(filter.session);
    assertTenant(filter);
    assertPageSize(pageSize);
    const before = pageToken === undefined ? undefined : decodePageToken("runs", pageToken);
    const place = { before, limit: pageSize, maxCharacters };
    const { page, hasMore } = await this.runner.read((operations) => operations.list(filter, place));
    const runs = page.map(({ run }) => run);
    const last = page.at(-1);
    if (!hasMore || last === undefined) return { runs };
    return { runs, nextPageToken: encodePageToken("runs", { number: last.number, id: last.run.runId }) };
  }

  async getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    assertHeadsRequest(sessions);
    return this.runner.read((operations) => operations.getHeads(sessions));
  }

  async listAbandoned(request: ListAbandonedRequest): Promise<readonly RunRecord[]> {
    assertPageSize(request.limit);
    return this.runner.read((operations) => operations.listAbandoned(request));
  }

  async listIdleSessions({ updatedBefore, pageSize, pageToken }: ListIdleRequest): Promise<IdlePage> {
    assertPageSize(pageSize);
    assertNotNegative({ updatedBefore });
    const after = pageToken === undefined ? undefined : decodePageToken("idle-sessions", pageToken);
    const options = { updatedBefore, after, limit: Math.min(pageSize, MAX_IDLE_PAGE) };
    const { sessions, last } = await this.runner.read((operations) => operations.listIdle(options));
    return { sessions, nextPageToken: last && encodePageToken("idle-sessions", last) };
  }

  async closeIdleSession(key: SessionKey, updatedBefore: number): Promise<boolean> {
    assertSessionKey(key);
    assertNotNegative({ updatedBefore });
    return this.runner.write((operations) => operations.closeIdleSession(key, updatedBefore), key);
  }

  /** Records of runs whose work ended before the time. They are looked at in the store's own order. */
  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const range = oldRange(request);
    assertNotNegative({ before: request.before });
    const options = { ...range, endedBefore: request.before };
    const { items, last } = await this.runner.read((operations) => operations.listOldRuns(options));
    return oldPage(request, items, last);
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    assertOldItems(request);
    const { tenantId, appName, userId = "", before } = request;
    let deleted = 0;
    for (const [id = "", items] of Map.groupBy(request.items, ({ sessionId }) => sessionId)) {
      const key = { ...inTenant(tenantId), appName, userId, id };
      assertSessionKey(key);
      const runIds = items.map((item) => item.id).filter(isIdentifier);
      for (let start = 0; start < runIds.length; start += RUNS_OF_COMMIT) {
        const some = runIds.slice(start, start + RUNS_OF_COMMIT);
        deleted += await this.runner.write((operations) => operations.deleteOldRuns(key, some, before), key);
      }
    }
    return deleted;
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return this.runner.read((operations) => operations.listData(dataOwner(request), request));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return this.runner.write((operations) => operations.deleteData(dataOwner(request), request.limit));
  }

  async beginDeletion(owner: DataOwner): Promise<DataDeletion> {
    assertDataOwner(owner);
    return this.runner.write((operations) => operations.beginDeletion(dataOwner(owner)));
  }

  async endDeletion(owner: DataOwner): Promise<void> {
    assertDataOwner(owner);
    return this.runner.write((operations) => operations.endDeletion(dataOwner(owner)));
  }

  async listDeletions(): Promise<readonly DataDeletion[]> {
    return this.runner.read((operations) => operations.listDeletions());
  }
}

/** No run has another name. */
function isRunName(runId: string, tenantId = DEFAULT_TENANT): boolean {
  return isIdentifier(runId) && isTenantId(tenantId);
}

/** Throws for values that are not JSON before anything is written. */
export function jsonCopy(object: JsonObject): JsonObject {
  // Written by JSON.stringify from a JSON object.
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}

/** Updates a session object with a stored event. `own` is the caller's event, which can also have `temp:` keys. */
export function applyStored(session: Session, stored: StoredEvent, own: Event | undefined): void {
  if (stored.sequence <= session.revision) return;
  const event = own ?? fromEventRecord(stored);
  session.events.push(event);
  applyDelta(session.state, event.actions.stateDelta);
  session.lastUpdateTime = event.timestamp;
  session.revision = stored.sequence;
}

/** Throws `INVALID_FIELD` for a number of a request that is negative or none. */
export function assertNotNegative(fields: Readonly<Record<string, number | undefined>>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || (value >= 0 && !Number.isNaN(value))) continue;
    throw new PlatformError("INVALID_FIELD", `${field} must be 0 or more.`, { details: { field } });
  }
}
