import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { TransientMap } from "#kit/cache/transient-map.ts";
import type { StoredEvent } from "#kit/events/event-record.ts";
import { DEFAULT_TENANT, inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import { isTerminal, type RunRecord, type RunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ScopedDelta } from "#kit/sessions/state-delta.ts";
import { MAX_AWAITING_RUNS } from "#ports/sessions/awaiting-runs.ts";
import { cutEventPage, pageBySize } from "#ports/sessions/event-pages.ts";
import { SessionContent } from "#ports/sessions/session-content.ts";
import type { ScopeName } from "#ports/sessions/session-limits.ts";
import type {
  AbandonedOptions,
  EventPage,
  EventPageRequest,
  IdleHeads,
  IdleOptions,
  ListOptions,
  NumberedRuns,
  RunFilter,
  RunsPlace,
  SessionScopes,
  SessionTables,
} from "#ports/sessions/session-tables.ts";
import { skipUndecryptable } from "#ports/sessions/skip-undecryptable-runs.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import { NOTHING_STORED, type StorageCount, type StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { uncount } from "#ports/storage-limits/stored-counts.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import type { PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import { allRows, eachRow, eachRowOf, firstRow } from "../database/sqlite-database.ts";
import { isLeftOut, listHeads, listIdleHeads } from "./list-heads.ts";
import { OldRunRows } from "./old-run-rows.ts";
import { OwnedSessionRows } from "./owned-session-rows.ts";
import {
  type AwaitingRow,
  activeName,
  addOpenRuns,
  type EventRow,
  type KeyedRunRow,
  leaseExpiry,
  type RunRow,
  type SessionRow,
  type SizedEventRow,
  type SqliteHead,
  type StoredRow,
  sizedEvent,
  toAwaitingRun,
  toHead,
  toKey,
  toKeyedRun,
  toStoredEvent,
} from "./session-rows.ts";
import { eventKey, MAX_EVENTS_PER_SESSION, MAX_SESSIONS } from "./session-schema.ts";
import { prepareSessionStatements, type SessionStatements } from "./session-statements.ts";
import { SharedStateTables } from "./shared-state-tables.ts";

/** A session's state is kept in memory with its head up to this length of JSON. */
const MAX_CACHED_STATE_LENGTH = 16 * 1024;

/**
 * The session tables of one file. This object is the file's only writer, so its cached heads stay valid until it
 * changes them itself; after a rollback `forget` drops them.
 */
export class SqliteSessionTables implements SessionTables<SqliteHead> {
  readonly oldRuns: OldRunRows;
  readonly #statements: SessionStatements;
  readonly #content: SessionContent;
  readonly #shared: SharedStateTables;
  readonly #heads: BoundedCache<SqliteHead>;
  readonly #activeRuns = new TransientMap<string, true>();
  readonly #owned: OwnedSessionRows;

  constructor(database: DatabaseSync, maxCachedSessions: number, content = new SessionContent()) {
    this.#statements = prepareSessionStatements(database);
    this.oldRuns = new OldRunRows(database);
    this.#content = content;
    this.#shared = new SharedStateTables(this.#statements, maxCachedSessions, content);
    this.#owned = new OwnedSessionRows(database, content);
    this.#heads = new BoundedCache(maxCachedSessions);
  }

  /** How many runs this process has seen begin and not end; those that were rolled back may be missing. */
  get activeRuns(): number {
    return this.#activeRuns.size;
  }

  forget(): void {
    this.#activeRuns.clear();
    this.#heads.clear();
    this.#shared.forget();
    this.#owned.forget();
  }

  find(key: SessionKey): SqliteHead | undefined {
    const name = cacheKey(key);
    const cached = this.#heads.get(name);
    if (cached !== undefined) return cached;
    const row = firstRow<SessionRow>(this.#statements.findSession, tenantOf(key), key.appName, key.userId, key.id);
    if (row === undefined) return undefined;
    const head = toHead(row, toKey(row));
    addOpenRuns(head, row.lease_expires, allRows<RunRow>(this.#statements.openRuns, head.sid), this.#content);
    const awaiting = allRows<AwaitingRow>(this.#statements.awaitingRuns, head.sid, MAX_AWAITING_RUNS);
    head.awaiting = awaiting.map(toAwaitingRun).reverse();
    this.#heads.set(name, head);
    return head;
  }

  create(key: SessionKey, lastUpdateTime: number): SqliteHead {
    const { appName, userId, id } = key;
    const tenantId = tenantOf(key);
    const inserted = this.#statements.insertSession.run(tenantId, appName, userId, id, lastUpdateTime);
    const sid = Number(inserted.lastInsertRowid);
    if (sid >= MAX_SESSIONS) throw new Error(`The file is full: ${MAX_SESSIONS} sessions were created in it.`);
    const blank = { revision: 0, closed_time: null, epoch: 0, history_start: null, agent_revision: null };
    const owner = { ...inTenant(tenantId), appName, userId };
    const head = toHead(
      { ...blank, stored_bytes: 0, counted_in: "", sid, id, update_time: lastUpdateTime },
      { ...owner, id },
    );
    head.state = new StateScope();
    this.#heads.set(cacheKey(key), head);
    return head;
  }

  save(head: SqliteHead): void {
    const { sid, revision, lastUpdateTime, closedTime, epoch, active, storedBytes, countedIn, agentRevision } = head;
    const expiresAt = active?.lease.expiresAt ?? null;
    this.#statements.saveSession.run(
      revision,
      lastUpdateTime,
      closedTime ?? null,
      epoch,
      expiresAt,
      storedBytes,
      countedIn.join(","),
      agentRevision ?? null,
      sid,
    );
  }

  saveHistoryStart(head: SqliteHead, bound: HistoryStart | undefined): void {
    head.historyStart = bound;
    this.#statements.saveHistoryStart.run(bound === undefined ? null : JSON.stringify(bound), head.sid);
  }

  delete({ sid, key, active }: SqliteHead): void {
    if (active !== undefined) this.#activeRuns.delete(activeName(active.run, key));
    this.#heads.delete(cacheKey(key));
    this.#statements.deleteEvents.run(eventKey(sid, 0), eventKey(sid, MAX_EVENTS_PER_SESSION));
    this.#statements.deleteRuns.run(sid);
    this.#statements.deleteState.run(sid);
    this.#statements.deleteSession.run(sid);
  }

  list(owner: Omit<SessionKey, "id">, options: ListOptions): readonly SqliteHead[] {
    return listHeads(this.#statements.listSessions, owner, options, (head, row) =>
      isLeftOut(row) ? this.#readState(head) : this.#stateOf(head, row.state),
    );
  }

  scopes(head: SqliteHead): SessionScopes {
    return { app: this.#shared.app(head.key), user: this.#shared.user(head.key), session: this.#state(head) };
  }

  knownScope(name: ScopeName, key: SessionKey, head: SqliteHead | undefined): StateScope {
    if (name !== "session") return this.#shared[name](key);
    return head === undefined ? new StateScope() : this.#state(head);
  }

  applyDelta(head: SqliteHead, delta: ScopedDelta): void {
    this.#shared.apply(head.key, delta);
    if (Object.keys(delta.session).length === 0) return;
    const state = this.#state(head);
    state.apply(delta.session);
    this.#statements.saveState.run(head.sid, this.#content.sealState(head.key, state.json));
    if (state.json.length > MAX_CACHED_STATE_LENGTH) head.state = undefined;
  }

  insertEvent({ sid, key: session }: SqliteHead, event: StoredEvent): void {
    if (event.sequence > MAX_EVENTS_PER_SESSION)
      throw new Error(`Session ${sid} is full: it has ${MAX_EVENTS_PER_SESSION} events.`);
    const { id, invocationId, author, timestamp } = event;
    const json = this.#content.sealEvent(session, event.sequence, event.json);
    const hasDelta = event.stateDelta === undefined ? 0 : 1;
    const key = eventKey(sid, event.sequence);
    const outside = event.outside === true ? 1 : 0;
    this.#statements.insertEvent.run(key, id, invocationId, author, timestamp, hasDelta, outside, json);
  }

  events({ sid, key }: SqliteHead, afterRevision: number, limit = NO_LIMIT): readonly StoredEvent[] {
    const after = Math.min(afterRevision, MAX_EVENTS_PER_SESSION);
    const last = eventKey(sid, MAX_EVENTS_PER_SESSION);
    return allRows<EventRow>(this.#statements.events, eventKey(sid, after), last, limit).map(this.#opened(key));
  }

  eventPage({ sid, key }: SqliteHead, request: EventPageRequest): EventPage {
    const after = Math.min(request.afterRevision, MAX_EVENTS_PER_SESSION);
    const last = eventKey(sid, MAX_EVENTS_PER_SESSION);
    const most = Math.min(request.maxEventCharacters ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    const { eventsSince } = this.#statements;
    const rows = eachRow<SizedEventRow>(eventsSince, most, eventKey(sid, after), last, request.afterTimestamp);
    const opened = this.#opened(key);
    const events = rows.map((row) => sizedEvent(row, opened));
    return cutEventPage(events, { ...request, maxEventCharacters: undefined });
  }

  boundedEvents(head: SqliteHead, { from, earlier }: HistoryStart): readonly StoredEvent[] {
    const newest = this.events(head, from - 1);
    if (earlier.length === 0) return newest;
    const keys = JSON.stringify(earlier.map((sequence) => eventKey(head.sid, sequence)));
    return [...allRows<EventRow>(this.#statements.eventsAt, keys).map(this.#opened(head.key)), ...newest];
  }

  hasEvent({ sid }: SqliteHead, eventId: string): boolean {
    const last = eventKey(sid, MAX_EVENTS_PER_SESSION);
    return this.#statements.findOutsideEvent.get(eventId, eventKey(sid, 0), last) !== undefined;
  }

  insertRun(head: SqliteHead, run: RunRecord): number {
    const request = JSON.stringify(run.request);
    const bytes = Buffer.byteLength(request);
    this.#countActive(run, head);
    this.#statements.insertRun.run(
      tenantOf(head.key),
      run.runId,
      head.sid,
      run.status,
      run.attempts,
      run.epoch,
      run.holder ?? null,
      leaseExpiry(head, run),
      run.startedTime ?? null,
      run.cancelRequested ? 1 : 0,
      run.baseRevision,
      run.invocationId,
      run.policy,
      run.createdTime,
      run.deadline ?? null,
      run.idempotencyKey ?? null,
      run.streamKey ?? null,
      run.agentRevision ?? null,
      bytes,
      this.#content.sealOfRun(head.key, run.runId, "request", request),
    );
    return bytes;
  }

  updateRun(head: SqliteHead, run: RunRecord): void {
    this.#countActive(run, head);
    this.#statements.updateRun.run(
      run.status,
      run.attempts,
      run.epoch,
      run.holder ?? null,
      leaseExpiry(head, run),
      run.startedTime ?? null,
      run.finishedTime ?? null,
      run.cancelRequested ? 1 : 0,
      run.baseRevision,
      run.usage === undefined ? null : JSON.stringify(run.usage),
      run.error === undefined ? null : this.#content.sealOfRun(head.key, run.runId, "error", JSON.stringify(run.error)),
      run.handovers ?? 0,
      run.agentRevision ?? null,
      tenantOf(head.key),
      run.runId,
    );
  }

  ownedItems(owner: DataOwner, after: readonly string[] | undefined): Iterable<PlacedItem> {
    return this.#owned.items(owner, after);
  }

  deleteOwned(owner: DataOwner, limit: number): DeleteDataResponse {
    const rows = this.#owned.some(owner, limit);
    for (const row of rows) {
      // Without its runs, whose content may be unreadable. What is known of the active one is in the cached head.
      const key = toKey(row);
      const head = this.#heads.get(cacheKey(key)) ?? toHead(row, key);
      uncount(this, head);
      this.delete(head);
    }
    if (rows.length === limit) return { deleted: limit, isDone: false };
    this.#owned.deleteStates(owner);
    this.#shared.forget();
    return { deleted: rows.length, isDone: true };
  }

  deletions(): readonly DataDeletion[] {
    return this.#owned.deletions();
  }

  saveDeletion(deletion: DataDeletion): void {
    this.#owned.saveDeletion(deletion);
  }

  dropDeletion(owner: DataOwner): void {
    this.#owned.dropDeletion(owner);
  }

  stored(count: StorageCount): StoredAmounts {
    const row = firstRow<StoredRow>(this.#statements.findStored, tenantOf(count), count.scope, count.name);
    return row === undefined ? NOTHING_STORED : { sessions: row.sessions, storedBytes: row.stored_bytes };
  }

  addStored(count: StorageCount, { sessions, storedBytes }: StoredAmounts): void {
    const row = [tenantOf(count), count.scope, count.name] as const;
    this.#statements.addStored.run(...row, sessions, storedBytes);
    if (sessions < 0) this.#statements.deleteStored.run(...row);
  }

  saveAnswer({ key }: SqliteHead, runId: string, answeredBy: string): void {
    this.#statements.saveAnswer.run(answeredBy, tenantOf(key), runId);
  }

  findRun(runId: string, tenant: TenantScoped): RunRecord | undefined {
    const row = firstRow<KeyedRunRow>(this.#statements.findRun, tenantOf(tenant), runId);
    return row && toKeyedRun(row, this.#content);
  }

  findRunByIdempotencyKey({ sid }: SqliteHead, idempotencyKey: string): RunRecord | undefined {
    const row = firstRow<KeyedRunRow>(this.#statements.findRunByIdempotencyKey, sid, idempotencyKey);
    return row && toKeyedRun(row, this.#content);
  }

  listRuns(request: RunFilter, { before, limit, maxCharacters }: RunsPlace): NumberedRuns {
    const rows = this.#runRows(request, before?.number, limit === undefined ? NO_LIMIT : limit + 1);
    const { page, hasMore } = pageBySize(rows, ({ request: json }) => json.length, { limit, most: maxCharacters });
    return { page: page.map((row) => ({ number: row.number, run: toKeyedRun(row, this.#content) })), hasMore };
  }

  #runRows(request: RunFilter, before = Number.MAX_SAFE_INTEGER, limit = NO_LIMIT): Iterable<KeyedRunRow> {
    const { session, appName, userId, statuses } = request;
    const tenantId = tenantOf(request);
    const statusesJson = statuses === undefined ? null : JSON.stringify(statuses);
    const filter = [before, appName ?? null, statusesJson, limit, tenantId] as const;
    if (session !== undefined) {
      const head = this.find(session);
      if (head === undefined || (userId !== undefined && userId !== session.userId)) return [];
      return eachRowOf<KeyedRunRow>(this.#statements.listRunsOfSession, ...filter, head.sid);
    }
    if (userId !== undefined) return eachRowOf<KeyedRunRow>(this.#statements.listRunsOfUser, ...filter, userId);
    return eachRowOf<KeyedRunRow>(this.#listing(statuses, tenantId), ...filter);
  }

  /** The statement whose index fits the statuses best. */
  #listing(statuses: readonly RunStatus[] | undefined, tenantId: string): StatementSync {
    if (tenantId !== DEFAULT_TENANT) return this.#statements.listRunsOfTenant;
    if (statuses === undefined) return this.#statements.listRuns;
    if (!statuses.some(isTerminal)) return this.#statements.listOpenRuns;
    if (statuses.every((status) => status === "awaiting_input")) return this.#statements.listAwaitingRuns;
    return this.#statements.listRuns;
  }

  listIdle(options: IdleOptions): IdleHeads {
    return listIdleHeads(this.#statements.walkSessions, options);
  }

  listAbandoned({ now, recordedUntil, limit, holder }: AbandonedOptions): readonly RunRecord[] {
    const rows = eachRowOf<KeyedRunRow>(this.#statements.listAbandonedRuns, now, recordedUntil, holder ?? null);
    return skipUndecryptable(rows, (row) => toKeyedRun(row, this.#content), limit);
  }

  #opened(session: SessionKey): (row: EventRow) => StoredEvent {
    return (row) => toStoredEvent(row, session, this.#content);
  }

  #stateOf({ key }: SqliteHead, text: string | null): StateScope {
    return new StateScope(text === null ? undefined : this.#content.openState(key, text));
  }

  #readState(head: SqliteHead): StateScope {
    const row = firstRow<{ readonly state: string }>(this.#statements.findState, head.sid);
    return this.#stateOf(head, row?.state ?? null);
  }

  #countActive(run: RunRecord, { key }: SqliteHead): void {
    if (run.holder !== undefined && !isTerminal(run.status)) this.#activeRuns.set(activeName(run, key), true);
    else this.#activeRuns.delete(activeName(run, key));
  }

  #state(head: SqliteHead): StateScope {
    if (head.state !== undefined) return head.state;
    const state = this.#readState(head);
    if (state.json.length <= MAX_CACHED_STATE_LENGTH) head.state = state;
    return state;
  }
}

/** SQLite's value for "all". */
const NO_LIMIT = -1;

/** Identifiers have no control characters, so no two sessions share a key. */
function cacheKey(key: SessionKey): string {
  return `${tenantOf(key)}\n${key.appName}\n${key.userId}\n${key.id}`;
}
