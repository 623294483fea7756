import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import type { AppScope } from "#kit/names/app-scope.ts";
import { type TenantScoped, tenantKey, tenantOf } from "#kit/names/tenant.ts";
import { copyPlain, type JsonObject } from "#kit/platform/json.ts";
import type { HistoryStart } from "#kit/sessions/history-start.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import { type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type { ScopedDelta } from "#kit/sessions/state-delta.ts";
import {
  NO_STORAGE_LIMITS,
  NOTHING_STORED,
  type StorageCount,
  type StoredAmounts,
} from "#ports/storage-limits/storage-limits.ts";
import { countBytes, jsonBytes, sumOfStored, uncount } from "#ports/storage-limits/stored-counts.ts";
import { type DataOwner, isOwned, isSameOwner } from "#ports/tenants/data-owner.ts";
import { inOrderOfPlaces, type PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DataDeletion, DataItem, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import { isListed } from "./awaiting-runs.ts";
import { cutEventPage, pageBySize } from "./event-pages.ts";
import { InMemoryOldRuns } from "./old-runs/in-memory-old-runs.ts";
import type { OldRunTables } from "./old-runs/old-run-tables.ts";
import { findAbandoned } from "./run-rules.ts";
import { newSessionHead, type SessionHead } from "./session-head.ts";
import type { ScopeName } from "./session-limits.ts";
import type {
  AbandonedOptions,
  EventPage,
  EventPageRequest,
  IdleHeads,
  IdleOptions,
  ListOptions,
  NumberedRun,
  NumberedRuns,
  RunFilter,
  RunsPlace,
  SessionScopes,
  SessionTables,
} from "./session-tables.ts";
import { StateScope } from "./state-scope.ts";

/** How many ended runs a session keeps; older records are dropped, together with their idempotency keys. */
const MAX_FINISHED_RUNS = 1000;

interface MemoryHead extends SessionHead {
  readonly state: StateScope;
  /** Index `n` holds sequence `n + 1`. */
  readonly events: MemoryEvent[];
  readonly eventIds: Set<string>;
  readonly finishedRuns: string[];
}

interface MemoryEvent {
  /** Without the delta, which is in the JSON. */
  readonly event: StoredEvent;
  readonly hasDelta: boolean;
}

/** Session tables in maps. Arguments and results are copied, so that no caller can change stored data. */
export class InMemorySessionTables implements SessionTables<MemoryHead> {
  readonly #owners = new Map<string, Map<string, MemoryHead>>();
  readonly #appState = new Map<string, StateScope>();
  readonly #userState = new Map<string, StateScope>();
  readonly #runs = new Map<string, NumberedRun>();
  readonly oldRuns: OldRunTables<MemoryHead> = new InMemoryOldRuns(this.#runs);
  readonly #stored = new Map<string, StoredAmounts>();
  /** Sessions of the runs that have not ended, in the order in which the runs were recorded. */
  readonly #open = new Map<string, MemoryHead>();
  #deletions: readonly DataDeletion[] = [];
  #created = 0;
  #recorded = 0;

  find(key: SessionKey): MemoryHead | undefined {
    return this.#owners.get(ownerName(key))?.get(key.id);
  }

  create(key: SessionKey, lastUpdateTime: number): MemoryHead {
    this.#created += 1;
    const head: MemoryHead = {
      ...newSessionHead(sessionKey(key), String(this.#created), lastUpdateTime),
      state: new StateScope(),
      events: [],
      eventIds: new Set(),
      finishedRuns: [],
    };
    const owner = ownerName(key);
    const sessions = this.#owners.get(owner);
    if (sessions === undefined) this.#owners.set(owner, new Map([[key.id, head]]));
    else sessions.set(key.id, head);
    return head;
  }

  save(): void {
    // Heads are stored by reference, so a changed head is saved already.
  }

  saveHistoryStart(head: MemoryHead, bound: HistoryStart | undefined): void {
    head.historyStart = bound && copyPlain(bound);
  }

  delete(head: MemoryHead): void {
    const owner = ownerName(head.key);
    const sessions = this.#owners.get(owner);
    sessions?.delete(head.key.id);
    if (sessions?.size === 0) this.#owners.delete(owner);
    const open = head.active === undefined ? head.pending : [head.active.run, ...head.pending];
    for (const { runId } of open) this.#open.delete(runName(runId, head.key));
    for (const runId of [...open.map((run) => run.runId), ...head.finishedRuns])
      this.#runs.delete(runName(runId, head.key));
  }

  list(owner: UserOfSessions, { hiddenIdPrefix, after, limit }: ListOptions): readonly MemoryHead[] {
    const heads = [...(this.#owners.get(ownerName(owner))?.values() ?? [])]
      .filter((head) => !head.key.id.startsWith(hiddenIdPrefix))
      .filter(
        (head) => after === undefined || newestFirst(head, { key: after, lastUpdateTime: after.lastUpdateTime }) > 0,
      );
    return heads.sort(newestFirst).slice(0, limit);
  }

  scopes(head: MemoryHead): SessionScopes {
    return {
      app: this.#appState.get(appScopeName(head.key)) ?? new StateScope(),
      user: this.#userState.get(ownerName(head.key)) ?? new StateScope(),
      session: head.state,
    };
  }

  knownScope(name: ScopeName, key: SessionKey, head: MemoryHead | undefined): StateScope {
    const scopes = { app: this.#appState.get(appScopeName(key)), user: this.#userState.get(ownerName(key)) };
    return (name === "session" ? head?.state : scopes[name]) ?? new StateScope();
  }

  applyDelta(head: MemoryHead, delta: ScopedDelta): void {
    applyShared(this.#appState, appScopeName(head.key), delta.app);
    applyShared(this.#userState, ownerName(head.key), delta.user);
    head.state.apply(delta.session);
  }

  insertEvent(head: MemoryHead, stored: StoredEvent): void {
    // Only the delta of an event can be changed from outside, so an event without one needs no copy.
    head.events.push(stored.stateDelta === undefined ? { event: stored, hasDelta: false } : withoutDelta(stored));
    head.eventIds.add(stored.id);
  }

  events(head: MemoryHead, afterRevision: number, limit = head.events.length): readonly StoredEvent[] {
    return head.events.slice(afterRevision, afterRevision + limit).map(toStoredEvent);
  }

  eventPage(head: MemoryHead, request: EventPageRequest): EventPage {
    const events = head.events.values().drop(Math.min(request.afterRevision, head.events.length));
    return cutEventPage(events.map(toStoredEvent), request);
  }

  boundedEvents(head: MemoryHead, { from, earlier }: HistoryStart): readonly StoredEvent[] {
    const places = earlier.flatMap((sequence) => head.events[sequence - 1] ?? []);
    return [...places, ...head.events.slice(from - 1)].map(toStoredEvent);
  }

  hasEvent(head: MemoryHead, eventId: string): boolean {
    return head.eventIds.has(eventId);
  }

  insertRun(head: MemoryHead, run: RunRecord): number {
    this.#recorded += 1;
    const name = runName(run.runId, head.key);
    this.#open.set(name, head);
    this.#runs.set(name, { number: this.#recorded, run: { ...run, request: copyPlain(run.request) } });
    return jsonBytes(run.request);
  }

  updateRun(head: MemoryHead, run: RunRecord): void {
    const name = runName(run.runId, head.key);
    const known = this.#runs.get(name);
    if (known === undefined) return;
    this.#runs.set(name, { number: known.number, run: { ...run, request: known.run.request } });
    if (!isTerminal(run.status)) return;
    this.#open.delete(name);
    head.finishedRuns.push(run.runId);
    if (head.finishedRuns.length <= MAX_FINISHED_RUNS) return;
    const oldest = head.finishedRuns.shift();
    if (oldest !== undefined) this.#drop(head, runName(oldest, head.key));
  }

  saveAnswer(head: MemoryHead, runId: string, answeredBy: string): void {
    const name = runName(runId, head.key);
    const known = this.#runs.get(name);
    if (known !== undefined) this.#runs.set(name, { number: known.number, run: { ...known.run, answeredBy } });
  }

  findRun(runId: string, tenant: TenantScoped): RunRecord | undefined {
    const found = this.#runs.get(runName(runId, tenant));
    return found === undefined ? undefined : copyRun(found.run);
  }

  findRunByIdempotencyKey(head: MemoryHead, idempotencyKey: string): RunRecord | undefined {
    return this.#runsOf(head).find(({ run }) => run.idempotencyKey === idempotencyKey)?.run;
  }

  listRuns(filter: RunFilter, { before, limit, maxCharacters }: RunsPlace): NumberedRuns {
    const { session, appName, userId, statuses } = filter;
    const runs = session === undefined ? [...this.#runs.values()] : this.#runsOf(this.find(session));
    const listed = runs
      .filter(({ run }) => tenantOf(run.session) === tenantOf(filter))
      .filter(({ number }) => before === undefined || number < before.number)
      .filter(({ run }) => appName === undefined || run.session.appName === appName)
      .filter(({ run }) => userId === undefined || run.session.userId === userId)
      .filter(({ run }) => isListed(run, statuses))
      .sort((one, other) => other.number - one.number);
    const { page, hasMore } = pageBySize(listed, ({ run }) => JSON.stringify(run.request).length, {
      limit,
      most: maxCharacters,
    });
    return { page: page.map(({ number, run }) => ({ number, run: copyRun(run) })), hasMore };
  }

  /** In the order of their creation. */
  listIdle({ updatedBefore, after, limit }: IdleOptions): IdleHeads {
    const numberOf = ({ incarnation }: MemoryHead) => Number(incarnation);
    const rest = [...this.#owners.values()]
      .flatMap((heads) => [...heads.values()])
      .filter((head) => numberOf(head) > (after?.number ?? 0))
      .sort((one, other) => numberOf(one) - numberOf(other));
    const page = rest.slice(0, limit);
    const sessions = page
      .filter(({ lastUpdateTime }) => lastUpdateTime < updatedBefore)
      .map(({ key, lastUpdateTime }) => ({ key: sessionKey(key), lastUpdateTime }));
    const last = page.at(-1);
    const hasMore = last !== undefined && rest.length > limit;
    return { sessions, last: hasMore ? { number: numberOf(last), id: "" } : undefined };
  }

  listAbandoned({ now, recordedUntil, holder, limit }: AbandonedOptions): readonly RunRecord[] {
    const found: RunRecord[] = [];
    for (const [name, head] of this.#open) {
      if (found.length >= limit) break;
      const abandoned = findAbandoned(head, now, holder);
      if (abandoned === undefined || runName(abandoned.runId, head.key) !== name) continue;
      const isOwn = holder !== undefined && abandoned.holder === holder;
      if (!isOwn && abandoned.createdTime > recordedUntil) continue;
      const known = this.#runs.get(name);
      if (known !== undefined) found.push(copyRun(known.run));
    }
    return found;
  }

  stored(count: StorageCount): StoredAmounts {
    return this.#stored.get(countName(count)) ?? NOTHING_STORED;
  }

  addStored(count: StorageCount, change: StoredAmounts): void {
    const name = countName(count);
    const { sessions, storedBytes } = sumOfStored(this.#stored.get(name), change);
    if (sessions === 0) this.#stored.delete(name);
    else this.#stored.set(name, { sessions, storedBytes });
  }

  ownedItems(owner: DataOwner, after: readonly string[] | undefined): readonly PlacedItem[] {
    const names = (key: string) => key.split("\n");
    const sessions = [...this.#heads(owner)].map(({ key: { appName, userId, id } }): PlacedItem => {
      return { item: { kind: "session", appName, userId, id }, place: ["1", appName, userId, id] };
    });
    const ofUsers = [...this.#userState].map(([key, state]) => {
      const [tenantId = "", appName = "", userId = ""] = names(key);
      const item: DataItem = { kind: "user-state", appName, userId, state: state.copy() };
      return { tenantId, userId, item, place: ["2", appName, userId] };
    });
    const ofApps = [...this.#appState].map(([key, state]) => {
      const [tenantId = "", appName = ""] = names(key);
      return { tenantId, item: { kind: "app-state", appName, state: state.copy() } as const, place: ["3", appName] };
    });
    const states = [...ofUsers, ...ofApps].filter((found) => isOwned(owner, { userId: undefined, ...found }));
    const placed = states.map(({ item, place }): PlacedItem => ({ item, place }));
    return inOrderOfPlaces([...sessions, ...placed], after);
  }

  deleteOwned(owner: DataOwner, limit: number): DeleteDataResponse {
    const heads = this.#heads(owner).take(limit).toArray();
    for (const head of heads) {
      uncount(this, head);
      this.delete(head);
    }
    if (heads.length === limit) return { deleted: limit, isDone: false };
    const isOf = (key: string) => {
      const [tenantId = "", _app, userId] = key.split("\n");
      return isOwned(owner, { tenantId, userId });
    };
    for (const key of [...this.#userState.keys()].filter(isOf)) this.#userState.delete(key);
    for (const key of [...this.#appState.keys()].filter(isOf)) this.#appState.delete(key);
    return { deleted: heads.length, isDone: true };
  }

  deletions(): readonly DataDeletion[] {
    return this.#deletions;
  }

  saveDeletion(deletion: DataDeletion): void {
    this.#deletions = [...this.#deletions, deletion];
  }

  dropDeletion(owner: DataOwner): void {
    this.#deletions = this.#deletions.filter((deletion) => !isSameOwner(deletion, owner));
  }

  *#heads(owner: DataOwner): Generator<MemoryHead, void, undefined> {
    for (const [name, heads] of this.#owners) {
      const [tenantId = "", _app, userId] = name.split("\n");
      if (isOwned(owner, { tenantId, userId })) yield* heads.values();
    }
  }

  #drop(head: MemoryHead, name: string): void {
    const dropped = this.#runs.get(name);
    this.#runs.delete(name);
    if (dropped !== undefined) countBytes(this, NO_STORAGE_LIMITS, head, -jsonBytes(dropped.run.request));
  }

  #runsOf(head: MemoryHead | undefined): readonly NumberedRun[] {
    if (head === undefined) return [];
    const ids = [...head.finishedRuns, ...head.pending.map((run) => run.runId)];
    if (head.active !== undefined) ids.push(head.active.run.runId);
    return ids.flatMap((runId) => this.#runs.get(runName(runId, head.key)) ?? []);
  }
}

function newestFirst(one: Ordered, other: Ordered): number {
  if (one.lastUpdateTime !== other.lastUpdateTime) return other.lastUpdateTime - one.lastUpdateTime;
  if (one.key.id === other.key.id) return 0;
  return one.key.id < other.key.id ? -1 : 1;
}

interface Ordered {
  readonly key: { readonly id: string };
  readonly lastUpdateTime: number;
}

type UserOfSessions = Omit<SessionKey, "id">;

/** Identifiers have no control characters, so no two names are equal. */
function ownerName(owner: UserOfSessions): string {
  return `${appScopeName(owner)}\n${owner.userId}`;
}

function appScopeName(app: AppScope): string {
  return `${tenantOf(app)}\n${app.appName}`;
}

function countName(count: StorageCount): string {
  return `${tenantOf(count)}\n${count.scope}\n${count.name}`;
}

function runName(runId: string, { tenantId }: TenantScoped): string {
  return tenantKey(runId, tenantId);
}

function applyShared(scopes: Map<string, StateScope>, key: string, delta: JsonObject): void {
  if (Object.keys(delta).length === 0) return;
  const scope = scopes.get(key) ?? new StateScope();
  scope.apply(delta);
  scopes.set(key, scope);
}

function withoutDelta({ stateDelta: _, ...event }: StoredEvent): MemoryEvent {
  return { event, hasDelta: true };
}

function toStoredEvent({ event, hasDelta }: MemoryEvent): StoredEvent {
  return hasDelta ? { ...event, stateDelta: fromEventRecord(event).actions.stateDelta } : { ...event };
}

function copyRun(run: RunRecord): RunRecord {
  return copyPlain(run);
}
