import { PlatformError } from "#kit/errors/platform-error.ts";
import { SessionAlreadyExistsError, SessionClosedError, SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { changesPast, createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { type EventRecord, fromEventRecord, type StoredEvent, toOutsideRecord } from "#kit/events/event-record.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { boundAfter } from "#kit/sessions/history-start.ts";
import { type Session, type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import type {
  ApplyStateDeltaRequest,
  GetSessionConfig,
  ListEventRecordsResponse,
  ListSessionsResponse,
} from "#kit/sessions/session-service.ts";
import { mergeScopes, splitDelta } from "#kit/sessions/state-delta.ts";
import {
  NO_STORAGE_LIMITS,
  type StorageCount,
  type StorageLimits,
  type StoredAmounts,
  storageCount,
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
import { bytesOf, effectiveDelta, joinDeltas, type PlacedEvents, placeEvents } from "./event-rules.ts";
import { cutPage, encodePageToken } from "./page-token.ts";
import { cancelPending, requestCancel } from "./run-rules.ts";
import type { SessionHead } from "./session-head.ts";
import { type ImportSessionRequest, newState } from "./session-imports.ts";
import { assertStateAfter, DEFAULT_SESSION_LIMITS, type SessionLimits } from "./session-limits.ts";
import { type Operation, readOfPage, type SessionRead } from "./session-reads.ts";
import type { EventPageRequest, IdleHeads, IdleOptions, ListOptions, SessionTables } from "./session-tables.ts";

export interface OperationsOptions {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly limits?: SessionLimits | undefined;
  /** Limits of stored data; none if absent. */
  readonly storage?: StorageLimits | undefined;
}

export interface SessionsRequest {
  readonly owner: Omit<SessionKey, "id">;
  readonly options: ListOptions;
  readonly pageSize: number | undefined;
  readonly isApart: boolean;
}

export interface EventsRequest extends Omit<EventPageRequest, "maxCharacters"> {
  /** Only what a prompt needs: the events from the session's history start on. */
  readonly fromHistoryStart: boolean;
  readonly maxCharacters: number | undefined;
}

/** An event that a caller outside of runs adds to a session, as the caller knows it. */
export interface OutsideAppend {
  readonly session: Session;
  readonly event: Event;
  readonly record: EventRecord;
}

/** The operations on sessions, on the tables of any store. `RunOperations` adds the operations of the run journal. */
export class SessionOperations<Head extends SessionHead> {
  protected readonly tables: SessionTables<Head>;
  protected readonly clock: Clock;
  readonly #ids: IdGenerator;
  readonly #limits: SessionLimits;
  readonly #storage: StorageLimits;

  constructor(tables: SessionTables<Head>, { clock, ids, limits, storage }: OperationsOptions) {
    this.tables = tables;
    this.clock = clock;
    this.#ids = ids;
    this.#limits = limits ?? DEFAULT_SESSION_LIMITS;
    this.#storage = storage ?? NO_STORAGE_LIMITS;
  }

  *createSession(key: SessionKey, given: JsonObject, events: readonly EventRecord[]): Operation<Session> {
    yield [...this.#withState(key), { kind: "deletions" }, ...this.storedOf(key)];
    if (this.tables.find(key) !== undefined) throw new SessionAlreadyExistsError(key);
    assertNotInDeletion(this.tables.deletions(), key);
    this.assertRoom(key, undefined, { ...given, ...joinDeltas(events) });
    const stateBytes = Object.keys(given).length === 0 ? 0 : jsonBytes(given);
    this.assertStorage(key, undefined, () => stateBytes + bytesOf(events));
    const head = this.create(key, this.clock.now());
    this.tables.applyDelta(head, splitDelta(given));
    this.countStored(head, stateBytes);
    const { stored } = placeEvents(events, [], 0);
    this.store(head, stored);
    return this.#session(head, stored);
  }

  *importSession(given: Omit<ImportSessionRequest, "events">, events: readonly EventRecord[]): Operation<boolean> {
    const { key, lastUpdateTime, closedTime } = given;
    yield [...this.#withState(key), { kind: "deletions" }, ...this.storedOf(key)];
    if (this.tables.find(key) !== undefined) return false;
    assertNotInDeletion(this.tables.deletions(), key);
    const state = newState(given.state, (name) => this.tables.knownScope(name, key, undefined));
    this.assertRoom(key, undefined, state);
    this.assertStorage(key, undefined, () => jsonBytes(state) + bytesOf(events));
    const head = this.create(key, lastUpdateTime);
    this.tables.applyDelta(head, splitDelta(state));
    this.countStored(head, jsonBytes(state) + bytesOf(events));
    for (const event of placeEvents(events, [], 0).stored) {
      this.tables.insertEvent(head, event);
      head.revision = event.sequence;
    }
    head.closedTime = closedTime;
    this.tables.save(head);
    return true;
  }

  *getSession(key: SessionKey, config: GetSessionConfig): Operation<Session | undefined> {
    yield this.#withState(key);
    const head = this.tables.find(key);
    if (head === undefined) return undefined;
    const { numRecentEvents = Number.POSITIVE_INFINITY, afterTimestamp = 0, afterRevision = 0 } = config;
    const after = Math.max(afterRevision, head.revision - numRecentEvents);
    if (afterTimestamp === 0) return this.#session(head, yield* this.eventsAfter(head, after));
    const all = { afterRevision: after, afterTimestamp, maxCharacters: Number.POSITIVE_INFINITY };
    yield [readOfPage(head, all)];
    return this.#session(head, this.tables.eventPage(head, all).events);
  }

  *listSessions({ owner, options, pageSize, isApart }: SessionsRequest): Operation<ListSessionsResponse> {
    yield [
      { kind: "sessions", owner, options },
      { kind: "shared-state", owner },
    ];
    const heads = this.tables.list(owner, options);
    const { maxCharacters } = options;
    const size = maxCharacters === undefined ? pageSize : this.#fittingHeads(heads, maxCharacters, pageSize);
    const page = cutPage(heads, size, "sessions", (head) => ({ number: head.lastUpdateTime, id: head.key.id }));
    const { items, ...rest } = page;
    const sessions = items.map((head) => this.#session(head, [], isApart));
    return { sessions, ...rest, sharedState: isApart ? this.#sharedState(items[0]) : undefined };
  }

  *deleteSession(key: SessionKey): Operation<void> {
    yield [{ kind: "head", session: key }];
    const head = this.tables.find(key);
    if (head === undefined) return;
    uncount(this.tables, head);
    this.tables.delete(head);
  }

  *listEvents(key: SessionKey, { fromHistoryStart, ...request }: EventsRequest): Operation<ListEventRecordsResponse> {
    yield [{ kind: "head", session: key }];
    const head = this.require(key);
    const { afterRevision, afterTimestamp, limit, maxCharacters, maxEventCharacters } = request;
    const bound = fromHistoryStart ? head.historyStart : undefined;
    if (bound !== undefined) return eventPage(yield* this.boundedEvents(head, boundAfter(bound, afterRevision)), limit);
    if (afterTimestamp === 0 && maxCharacters === undefined && maxEventCharacters === undefined)
      return eventPage(
        yield* this.eventsAfter(head, afterRevision, limit === undefined ? undefined : limit + 1),
        limit,
      );
    const page = { ...request, maxCharacters: maxCharacters ?? Number.POSITIVE_INFINITY };
    yield [readOfPage(head, page)];
    const { events, hasMore, last, longEventCharacters } = this.tables.eventPage(head, page);
    return {
      events,
      longEventCharacters,
      nextPageToken: hasMore && last < head.revision ? encodePageToken("events", { number: last, id: "" }) : undefined,
    };
  }

  /**
   * Appends from outside of runs to one session, in their order. Each is answered with the stored events that its session
   * object lacks, or with its refusal, and then nothing of it is stored.
   */
  *appendEvents(
    key: SessionKey,
    appends: readonly OutsideAppend[],
  ): Operation<readonly (readonly StoredEvent[] | PlatformError)[]> {
    yield [{ kind: "head", session: key }, ...this.storedOf(key)];
    const head = this.requireOpen(key);
    const afterRevision = Math.floor(Math.min(...appends.map(({ session }) => Math.max(0, session.revision))));
    const isBehind = afterRevision < head.revision;
    const others = appends.filter((append) => !isOwn(append));
    yield [
      ...(isBehind ? [{ kind: "events", head, afterRevision, limit: undefined } as const] : []),
      ...others.map(({ event }) => ({ kind: "outside-event", head, eventId: event.id }) as const),
    ];
    const stored = isBehind ? [...this.tables.events(head, afterRevision)] : [];
    return appends.map((append) => {
      const since = stored.filter(({ sequence }) => sequence > append.session.revision);
      try {
        const placed = this.#appendEvent(head, append, since);
        stored.push(...placed.fresh);
        return [...placed.missed, ...placed.stored].sort((one, other) => one.sequence - other.sequence);
      } catch (error) {
        if (error instanceof PlatformError) return error;
        throw error;
      }
    });
  }

  *closeSession(key: SessionKey): Operation<void> {
    yield [{ kind: "head", session: key }];
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
  }

  *listIdle(options: IdleOptions): Operation<IdleHeads> {
    yield [{ kind: "idle-sessions", options }];
    return this.tables.listIdle(options);
  }

  /** The time of the update stays as it is, so that an interrupted deletion finds the session again. */
  *closeIdleSession(key: SessionKey, updatedBefore: number): Operation<boolean> {
    yield [{ kind: "head", session: key, isFresh: true }];
    const head = this.tables.find(key);
    if (head === undefined || head.lastUpdateTime >= updatedBefore) return false;
    if (head.active !== undefined || head.pending.length > 0 || head.awaiting.length > 0) return false;
    if (head.closedTime !== undefined) return true;
    head.closedTime = this.clock.now();
    this.tables.save(head);
    return true;
  }

  *applyStateDelta(request: ApplyStateDeltaRequest): Operation<Session> {
    yield [...this.#withState(request), ...this.storedOf(request)];
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
  }

  *readStorage(counts: readonly StorageCount[]): Operation<readonly StoredAmounts[]> {
    yield counts.map((count) => ({ kind: "stored", count }));
    return counts.map((count) => this.tables.stored(count));
  }

  #appendEvent(head: Head, append: OutsideAppend, since: readonly StoredEvent[]): PlacedEvents {
    const { event, record } = append;
    const isKnown = isOwn(append) || this.tables.hasEvent(head, event.id);
    const placed = placeEvents(isKnown ? [] : [record], since, head.revision);
    const { fresh } = placed;
    this.assertRoom(head.key, head, joinDeltas(fresh));
    this.assertStorage(head.key, head, () => bytesOf(fresh));
    if (fresh.length > 0 && changesPast(event)) this.tables.saveHistoryStart(head, undefined);
    this.store(head, fresh);
    return placed;
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

  protected *eventsAfter(head: Head, revision: number, limit?: number): Operation<readonly StoredEvent[]> {
    if (revision >= head.revision) return [];
    const afterRevision = Math.max(0, Math.floor(revision));
    yield [{ kind: "events", head, afterRevision, limit }];
    return this.tables.events(head, afterRevision, limit);
  }

  protected *boundedEvents(head: Head, bound: NonNullable<Head["historyStart"]>): Operation<readonly StoredEvent[]> {
    yield [{ kind: "bounded-events", head, bound }];
    return this.tables.boundedEvents(head, bound);
  }

  /** The counts that decide whether something more has room. */
  protected storedOf(session: SessionKey): readonly SessionRead[] {
    return this.#storage.counted.map((scope) => ({ kind: "stored", count: storageCount(scope, session) }));
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

  #withState(session: SessionKey): readonly SessionRead[] {
    return [
      { kind: "head", session, isFresh: true },
      { kind: "shared-state", owner: session },
    ];
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

function isOwn({ session, event }: OutsideAppend): boolean {
  return session.events.some(({ id }) => id === event.id);
}

function eventPage(events: readonly StoredEvent[], pageSize: number | undefined): ListEventRecordsResponse {
  const { items, ...rest } = cutPage(events, pageSize, "events", ({ sequence }) => ({ number: sequence, id: "" }));
  return { events: items, ...rest };
}
