import { PlatformError } from "#kit/errors/platform-error.ts";
import { SessionAlreadyExistsError, SessionClosedError, SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { changesPast, createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { type EventRecord, fromEventRecord, type StoredEvent, toOutsideRecord } from "#kit/events/event-record.ts";
import {
  APP_PREFIX,
  EVALUATION_SESSION_PREFIX,
  REMOVED_SENTINEL,
  TEMP_PREFIX,
  USER_PREFIX,
} from "#kit/events/state-prefixes.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier, assertSessionKey, isBlank } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { boundAfter } from "#kit/sessions/history-start.ts";
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
import { applyDelta, mergeScopes, setOwn, splitDelta } from "#kit/sessions/state-delta.ts";
import {
  NO_STORAGE_LIMITS,
  type StorageCount,
  type StorageLimits,
  type StorageReader,
  type StoredAmounts,
} from "#ports/storage-limits/storage-limits.ts";
import {
  assertRoomForBytes,
  assertRoomForItem,
  countBytes,
  countItem,
  jsonBytes,
  uncount,
} from "#ports/storage-limits/stored-counts.ts";
import { assertNotInDeletion } from "#ports/tenants/deletion-error.ts";
import { joinDeltas, placeEvents } from "./event-rules.ts";
import { assertPageSize, cutPage, decodePageToken, encodePageToken } from "./page-token.ts";
import { cancelPending, requestCancel } from "./run-rules.ts";
import type { SessionHead } from "./session-head.ts";
import {
  assertImportedEvents,
  assertStateAfter,
  DEFAULT_SESSION_LIMITS,
  type SessionLimits,
} from "./session-limits.ts";
import type { SessionScopes, SessionTables, StepRunner } from "./session-tables.ts";

export interface TabularStoreDependencies<Head extends SessionHead> {
  readonly tables: SessionTables<Head>;
  readonly steps: StepRunner;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly limits?: SessionLimits | undefined;
  /** Limits of stored data; none if absent. */
  readonly storage?: StorageLimits | undefined;
}

/** The `SessionService` of a synchronous store; `TabularSessionStore` adds the journal of runs. */
export class TabularSessionService<Head extends SessionHead> implements SessionService, StorageReader {
  protected readonly tables: SessionTables<Head>;
  protected readonly steps: StepRunner;
  protected readonly clock: Clock;
  readonly #ids: IdGenerator;
  readonly #limits: SessionLimits;
  readonly #storage: StorageLimits;

  constructor({ tables, steps, clock, ids, limits, storage }: TabularStoreDependencies<Head>) {
    this.tables = tables;
    this.steps = steps;
    this.clock = clock;
    this.#ids = ids;
    this.#limits = limits ?? DEFAULT_SESSION_LIMITS;
    this.#storage = storage ?? NO_STORAGE_LIMITS;
  }

  async createSession(request: CreateSessionRequest): Promise<Session> {
    const id = isBlank(request.id) ? this.#ids.next() : request.id;
    const key = sessionKey({ ...request, id });
    assertSessionKey(key);
    assertImportedEvents(request.events?.length ?? 0, this.#limits);
    const events = (request.events ?? []).filter((event) => event.partial !== true).map(toOutsideRecord);
    const given = jsonCopy(request.state ?? {});
    const state = splitDelta(given);
    return this.steps.write(() => {
      if (this.tables.find(key) !== undefined) throw new SessionAlreadyExistsError(key);
      assertNotInDeletion(this.tables.deletions(), key);
      this.assertRoom(key, undefined, { ...given, ...joinDeltas(events) });
      const stateBytes = Object.keys(given).length === 0 ? 0 : jsonBytes(given);
      this.assertStorage(key, undefined, () => stateBytes + bytesOf(events));
      const head = this.create(key, this.clock.now());
      this.tables.applyDelta(head, state);
      this.countStored(head, stateBytes);
      const { stored } = placeEvents(events, [], 0);
      this.store(head, stored);
      return this.#session(head, stored);
    });
  }

  async getSession(key: SessionKey, config: GetSessionConfig = {}): Promise<Session | undefined> {
    assertSessionKey(key);
    assertNotNegative({ ...config });
    return this.steps.read(() => {
      const head = this.tables.find(key);
      if (head === undefined) return undefined;
      const { numRecentEvents = Number.POSITIVE_INFINITY, afterTimestamp = 0, afterRevision = 0 } = config;
      const after = Math.max(afterRevision, head.revision - numRecentEvents);
      if (after >= head.revision) return this.#session(head, []);
      const all = { afterRevision: after, afterTimestamp, maxCharacters: Number.POSITIVE_INFINITY };
      const events = afterTimestamp > 0 ? this.tables.eventPage(head, all).events : this.tables.events(head, after);
      return this.#session(head, events);
    });
  }

  async listSessions(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { tenantId, appName, userId, pageSize, maxCharacters, pageToken } = request;
    assertAppScope(request);
    assertIdentifier("userId", userId);
    assertPageSize(pageSize);
    assertNotNegative({ maxCharacters });
    const isApart = request.sharedState === "apart";
    const after = pageToken === undefined ? undefined : decodePageToken("sessions", pageToken);
    return this.steps.read(() => {
      const heads = this.tables.list(
        { ...inTenant(tenantId), appName, userId },
        {
          hiddenIdPrefix: EVALUATION_SESSION_PREFIX,
          after: after && { lastUpdateTime: after.number, id: after.id },
          limit: pageSize === undefined ? undefined : pageSize + 1,
          maxCharacters,
        },
      );
      const size = maxCharacters === undefined ? pageSize : this.#fittingHeads(heads, maxCharacters, pageSize);
      const page = cutPage(heads, size, "sessions", (head) => ({ number: head.lastUpdateTime, id: head.key.id }));
      const { items, ...rest } = page;
      const sessions = items.map((head) => this.#session(head, [], isApart));
      const sharedState = isApart ? this.#sharedState(items[0]) : undefined;
      return { sessions, ...rest, sharedState };
    });
  }

  async deleteSession(key: SessionKey): Promise<void> {
    assertSessionKey(key);
    return this.steps.write(() => {
      const head = this.tables.find(key);
      if (head === undefined) return;
      uncount(this.tables, head);
      this.tables.delete(head);
    });
  }

  async listEvents(request: ListEventsRequest): Promise<ListEventsResponse> {
    return toListEventsResponse(await this.listEventRecords(request));
  }

  async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    assertSessionKey(request);
    const { pageSize, pageToken, afterRevision = 0, fromHistoryStart, afterTimestamp = 0 } = request;
    const { maxCharacters, maxEventCharacters } = request;
    assertPageSize(pageSize);
    assertNotNegative({ afterTimestamp, maxCharacters, maxEventCharacters });
    const after = pageToken === undefined ? afterRevision : decodePageToken("events", pageToken).number;
    return this.steps.read(() => {
      const head = this.require(request);
      const bound = fromHistoryStart === true ? head.historyStart : undefined;
      if (bound !== undefined) return eventPage(this.tables.boundedEvents(head, boundAfter(bound, after)), pageSize);
      if (afterTimestamp === 0 && maxCharacters === undefined && maxEventCharacters === undefined)
        return eventPage(this.tables.events(head, after, pageSize === undefined ? undefined : pageSize + 1), pageSize);
      const { events, hasMore, last, longEventCharacters } = this.tables.eventPage(head, {
        afterRevision: after,
        afterTimestamp,
        maxCharacters: maxCharacters ?? Number.POSITIVE_INFINITY,
        maxEventCharacters,
        limit: pageSize,
      });
      return {
        events,
        longEventCharacters,
        nextPageToken:
          hasMore && last < head.revision ? encodePageToken("events", { number: last, id: "" }) : undefined,
      };
    });
  }

  async appendEvent(session: Session, event: Event): Promise<Event> {
    if (event.partial === true) return event;
    assertSessionKey(session);
    const record = toOutsideRecord(event);
    const news = await this.steps.write(() => {
      const head = this.requireOpen(session);
      const since = session.revision < head.revision ? this.tables.events(head, session.revision) : [];
      const known = session.events.some(({ id }) => id === event.id) || this.tables.hasEvent(head, event.id);
      const { stored, fresh, missed } = placeEvents(known ? [] : [record], since, head.revision);
      this.assertRoom(head.key, head, joinDeltas(fresh));
      this.assertStorage(head.key, head, () => bytesOf(fresh));
      if (fresh.length > 0 && changesPast(event)) this.tables.saveHistoryStart(head, undefined);
      this.store(head, fresh);
      return [...missed, ...stored].sort((one, other) => one.sequence - other.sequence);
    });
    for (const stored of news) applyStored(session, stored, stored.id === event.id ? event : undefined);
    return event;
  }

  async closeSession(key: SessionKey): Promise<void> {
    assertSessionKey(key);
    return this.steps.write(() => {
      const head = this.require(key);
      if (head.closedTime !== undefined) return;
      const now = this.clock.now();
      const { active, pending } = head;
      head.closedTime = now;
      head.pending = [];
      for (const run of pending) this.tables.updateRun(head, cancelPending(run, now));
      if (active !== undefined) {
        head.active = { ...active, run: requestCancel(active.run) };
        this.tables.updateRun(head, head.active.run);
      }
      this.tables.save(head);
    });
  }

  async applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session> {
    assertSessionKey(request);
    return this.steps.write(() => {
      const head = this.requireOpen(request);
      const stateDelta = effectiveDelta(this.tables.scopes(head), request.stateDelta);
      if (stateDelta !== undefined) {
        this.assertRoom(head.key, head, stateDelta);
        const { author, invocationId } = request;
        const actions = createEventActions({ stateDelta });
        const event = createEvent({ id: this.#ids.next(), invocationId, author, timestamp: this.clock.now(), actions });
        const { fresh } = placeEvents([toOutsideRecord(event)], [], head.revision);
        this.assertStorage(head.key, head, () => bytesOf(fresh));
        this.store(head, fresh);
      }
      return this.#session(head, []);
    });
  }

  async readStorage(counts: readonly StorageCount[]): Promise<readonly StoredAmounts[]> {
    return this.steps.read(() => counts.map((count) => this.tables.stored(count)));
  }

  protected require(key: SessionKey): Head {
    const head = this.tables.find(key);
    if (head === undefined) throw new SessionNotFoundError(key);
    return head;
  }

  protected requireOpen(key: SessionKey): Head {
    const head = this.require(key);
    if (head.closedTime !== undefined) throw new SessionClosedError(key);
    return head;
  }

  /** Throws `STATE_TOO_LARGE` if the delta would make a scope too large. Called before anything changes. */
  protected assertRoom(key: SessionKey, head: Head | undefined, delta: JsonObject | undefined): void {
    if (delta === undefined) return;
    assertStateAfter(splitDelta(delta), this.#limits, (name) => this.tables.knownScope(name, key, head));
  }

  /**
   * Throws `QUOTA_EXCEEDED` if a new session, or more bytes of one, have no room. Called before anything changes, and
   * not for data that a started run stores.
   */
  protected assertStorage(key: SessionKey, head: Head | undefined, bytes: () => number): void {
    if (this.#storage.counted.length === 0) return;
    if (head === undefined) assertRoomForItem(this.tables, this.#storage, key, bytes());
    else assertRoomForBytes(this.tables, this.#storage, head, bytes());
  }

  protected create(key: SessionKey, now: number): Head {
    const head = this.tables.create(key, now);
    if (this.#storage.counted.length > 0) {
      countItem(this.tables, this.#storage, head);
      this.tables.save(head);
    }
    return head;
  }

  /** Counts the session's stored data besides events, and saves the head if that has changed it. */
  protected countStored(head: Head, bytes: number): void {
    const { countedIn } = head;
    countBytes(this.tables, this.#storage, head, bytes);
    if (bytes > 0 || head.countedIn !== countedIn) this.tables.save(head);
  }

  /** Writes events after the session's newest, applies their deltas and updates the head. */
  protected store(head: Head, events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    for (const event of events) this.tables.insertEvent(head, event);
    const delta = joinDeltas(events);
    if (delta !== undefined) this.tables.applyDelta(head, splitDelta(delta));
    countBytes(this.tables, this.#storage, head, bytesOf(events));
    head.revision = last.sequence;
    head.lastUpdateTime = last.timestamp;
    this.tables.save(head);
  }

  protected mergedState(head: Head): Record<string, JsonValue> {
    const { app, user, session } = this.tables.scopes(head);
    return mergeScopes(app.copy(), user.copy(), session.copy());
  }

  /** How many of the first sessions are on a page of that size. */
  #fittingHeads(heads: readonly Head[], maxCharacters: number, pageSize = Number.POSITIVE_INFINITY): number {
    let characters = 0;
    let count = 0;
    for (const head of heads) {
      if (count > 0 && (count >= pageSize || characters >= maxCharacters)) break;
      characters += this.tables.scopes(head).session.json.length;
      count += 1;
    }
    return count;
  }

  #sharedState(head: Head | undefined): Record<string, JsonValue> | undefined {
    if (head === undefined) return undefined;
    const { app, user } = this.tables.scopes(head);
    return mergeScopes(app.copy(), user.copy(), {});
  }

  #session(head: Head, events: readonly EventRecord[], isApart = false): Session {
    return {
      ...sessionKey(head.key),
      state: isApart ? this.tables.scopes(head).session.copy() : this.mergedState(head),
      events: events.map(fromEventRecord),
      lastUpdateTime: head.lastUpdateTime,
      revision: head.revision,
      closedTime: head.closedTime,
    };
  }
}

/** Bytes of the JSON of events. */
export function bytesOf(events: readonly EventRecord[]): number {
  return events.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}

/** Throws for values that are not JSON before anything is written. */
function jsonCopy(object: JsonObject): JsonObject {
  // Written by JSON.stringify from a JSON object.
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}

function eventPage(events: readonly StoredEvent[], pageSize: number | undefined): ListEventRecordsResponse {
  const { items, ...rest } = cutPage(events, pageSize, "events", ({ sequence }) => ({ number: sequence, id: "" }));
  return { events: items, ...rest };
}

/** Updates a session object with a stored event. `own` is the caller's event, which may have `temp:` keys as well. */
function applyStored(session: Session, stored: StoredEvent, own: Event | undefined): void {
  if (stored.sequence <= session.revision) return;
  const event = own ?? fromEventRecord(stored);
  session.events.push(event);
  applyDelta(session.state, event.actions.stateDelta);
  session.lastUpdateTime = event.timestamp;
  session.revision = stored.sequence;
}

/** The part of a delta that changes a value; undefined if none does. */
function effectiveDelta(scopes: SessionScopes, delta: JsonObject): JsonObject | undefined {
  let changed: Record<string, JsonValue> | undefined;
  for (const [key, value] of Object.entries(delta)) {
    if (key.startsWith(TEMP_PREFIX) || !differs(scopes, key, value)) continue;
    changed ??= {};
    setOwn(changed, key, value);
  }
  return changed;
}

function differs({ app, user, session }: SessionScopes, key: string, value: JsonValue): boolean {
  const given = value === REMOVED_SENTINEL ? null : value;
  if (key.startsWith(APP_PREFIX)) return app.differs(key.slice(APP_PREFIX.length), given);
  if (key.startsWith(USER_PREFIX)) return user.differs(key.slice(USER_PREFIX.length), given);
  return session.differs(key, given);
}

function assertNotNegative(fields: Readonly<Record<string, number | undefined>>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || (value >= 0 && !Number.isNaN(value))) continue;
    throw new PlatformError("INVALID_FIELD", `${field} must be 0 or more.`, { details: { field } });
  }
}
