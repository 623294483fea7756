import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { type EventRecord, fromEventRecord, type StoredEvent, toEventRecord } from "#kit/events/event-record.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier, assertSessionKey } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import type { PagePlace } from "#kit/sessions/all-pages.ts";
import type { Session, SessionKey } from "#kit/sessions/session.ts";
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
import { assertPageSize } from "#ports/sessions/page-token.ts";
import type { StorageCount, StorageReader, StoredAmounts } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner, type DataOwner, dataOwner } from "#ports/tenants/data-owner.ts";
import type { IdlePage, IdleSessions, ListIdleRequest } from "#ports/tenants/idle-sessions.ts";
import type { DeleteOldRequest, ListOldRequest, OldData, OldPage } from "#ports/tenants/old-data.ts";
import type {
  DataDeletion,
  DataDeletions,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import type { CreateSessionRequest as CreateMessage } from "#proto/fairlead/session/v1/CreateSessionRequest.ts";
import type { IdleSession__Output } from "#proto/fairlead/session/v1/IdleSession.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import {
  fromDeletedMessage,
  fromDeletionMessage,
  fromOldItem,
  fromPageMessage,
  toListOldMessage,
} from "./messages/data-messages.ts";
import { eventBatches, fromStoredEventMessage, toEventMessage } from "./messages/event-messages.ts";
import {
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  markLast,
  PAGE_CHARACTERS,
  toJsonBytes,
  toSessionKeyMessage,
  toTimestamp,
} from "./messages/messages.ts";
import { fromSessionMessage } from "./messages/session-messages.ts";
import { toStorageCounts } from "./messages/storage-messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

/**
 * The session service over gRPC. Identifiers and numbers are checked before they are sent, because the encoding would
 * repair text that is not well-formed, and round numbers.
 */
export class RemoteSessionService
  implements SessionService, StorageReader, TenantData, DataDeletions, IdleSessions, OldData, AsyncDisposable
{
  readonly #methods = loadProto("session").fairlead.session.v1.SessionService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "session", methods: this.#methods });
  }

  async createSession(request: CreateSessionRequest): Promise<Session> {
    assertAppScope(request);
    assertIdentifier("userId", request.userId);
    if (request.id !== undefined) assertIdentifier("sessionId", request.id);
    const events = (request.events ?? []).filter((event) => event.partial !== true).map(toEventRecord);
    const { session } = await this.#peer.clientStream(this.#methods.CreateSession, markLast(creation(request, events)));
    return { ...fromSessionMessage(session), events: events.map(fromEventRecord) };
  }

  async getSession(key: SessionKey, config: GetSessionConfig = {}): Promise<Session | undefined> {
    assertSessionKey(key);
    const { numRecentEvents = Number.POSITIVE_INFINITY, afterTimestamp, afterRevision = 0 } = config;
    assertCounts({ numRecentEvents, afterRevision });
    assertNotNegative("afterTimestamp", afterTimestamp);
    const { session } = await this.#peer.unary(this.#methods.GetSession, { key: toSessionKeyMessage(key) });
    if (!session) return undefined;
    const found = fromSessionMessage(session);
    const from = Math.max(afterRevision, found.revision - numRecentEvents);
    if (from >= found.revision) return found;
    const { events } = await this.listEventRecords({
      ...key,
      afterRevision: from,
      ...(afterTimestamp !== undefined && { afterTimestamp }),
    });
    // Later events are left out, so that state and events belong together.
    for (const event of events) if (event.sequence <= found.revision) found.events.push(fromEventRecord(event));
    return found;
  }

  async listSessions(given: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { userId, pageSize, maxCharacters } = given;
    assertAppScope(given);
    assertIdentifier("userId", userId);
    assertPageSize(pageSize);
    assertCounts({ maxCharacters });
    const sessions: Session[] = [];
    for (let place: PagePlace = { ...placeOf(given) }; ; ) {
      const { pageToken } = place;
      const left = pageSize === undefined ? undefined : pageSize - sessions.length;
      const { sharedState, nextPageToken, ...part } = await this.#listSessions({
        ...given,
        ...(left !== undefined && { pageSize: left }),
        ...(pageToken !== undefined && { pageToken }),
      });
      const isApart = given.sharedState === "apart";
      for (const session of part.sessions)
        sessions.push(isApart ? session : { ...session, state: { ...sharedState, ...session.state } });
      const isWhole = maxCharacters !== undefined || sessions.length === pageSize;
      if (isWhole || nextPageToken === undefined)
        return {
          sessions,
          ...(isApart && sharedState !== undefined && { sharedState }),
          ...(nextPageToken !== undefined && { nextPageToken }),
        };
      place = { pageToken: nextPageToken };
    }
  }

  /** A page that is bounded by its size; the state of the app and the user is apart. */
  async #listSessions(given: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { appName, userId, pageSize, maxCharacters, pageToken } = given;
    const sessions: Session[] = [];
    let rest: Omit<ListSessionsResponse, "sessions"> = {};
    const request = {
      ...toTenantMember(given),
      ...{ appName, userId },
      ...(maxCharacters !== undefined && Number.isFinite(maxCharacters) && { maxCharacters }),
      ...page(pageSize, pageToken),
    };
    for await (const message of this.#peer.serverStream(this.#methods.ListSessions, request)) {
      for (const session of message.sessions) sessions.push(fromSessionMessage(session));
      const { nextPageToken, sharedStateJson } = message;
      rest = {
        ...(nextPageToken !== undefined && { nextPageToken }),
        ...(sharedStateJson !== undefined && {
          sharedState: fromJsonBytes<Record<string, JsonValue>>(sharedStateJson, "The state"),
        }),
      };
    }
    return { sessions, ...rest };
  }

  async deleteSession(key: SessionKey): Promise<void> {
    assertSessionKey(key);
    await this.#peer.unary(this.#methods.DeleteSession, { key: toSessionKeyMessage(key) });
  }

  async listEvents(request: ListEventsRequest): Promise<ListEventsResponse> {
    return toListEventsResponse(await this.listEventRecords(request));
  }

  async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    assertSessionKey(request);
    const { afterRevision, pageSize, afterTimestamp, maxCharacters, maxEventCharacters } = request;
    assertPageSize(pageSize);
    assertCounts({ afterRevision, maxCharacters, maxEventCharacters });
    assertNotNegative("afterTimestamp", afterTimestamp);
    // The caller reads page by page itself.
    if (maxEventCharacters !== undefined || request.fromHistoryStart === true) return this.#listEventRecords(request);
    const events: StoredEvent[] = [];
    let characters = 0;
    let limits: Partial<ListEventsRequest> = { ...placeOf(request) };
    for (;;) {
      const left = {
        ...(pageSize !== undefined && { pageSize: pageSize - events.length }),
        ...(maxCharacters !== undefined && { maxCharacters: Math.min(maxCharacters - characters, PAGE_CHARACTERS) }),
      };
      const part = await this.#listEventRecords({ ...request, ...left, ...limits });
      events.push(...part.events);
      for (const { json } of part.events) characters += json.length;
      const { nextPageToken, longEventCharacters } = part;
      if (nextPageToken === undefined) return { events };
      if (events.length === pageSize || (maxCharacters !== undefined && characters >= maxCharacters))
        return { events, nextPageToken };
      const isLong = part.events.length === 0 && longEventCharacters !== undefined;
      limits = { pageToken: nextPageToken, ...(isLong && { pageSize: 1, maxCharacters: longEventCharacters }) };
    }
  }

  /** A page that is bounded by its size. An event that is longer than a page has to be asked for alone. */
  async #listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    const { afterRevision, pageSize, pageToken, fromHistoryStart, afterTimestamp } = request;
    const { maxCharacters, maxEventCharacters } = request;
    const events: StoredEvent[] = [];
    let rest: Omit<ListEventRecordsResponse, "events"> = {};
    const which = {
      ...(afterRevision !== undefined && { afterRevision }),
      ...(fromHistoryStart === true && { fromHistoryStart }),
      ...(afterTimestamp !== undefined && { afterTimestamp: toTimestamp(afterTimestamp) }),
      ...(maxCharacters !== undefined && Number.isFinite(maxCharacters) && { maxCharacters }),
      ...(maxEventCharacters !== undefined && Number.isFinite(maxEventCharacters) && { maxEventCharacters }),
    };
    const query = { key: toSessionKeyMessage(request), ...which, ...page(pageSize, pageToken) };
    for await (const message of this.#peer.serverStream(this.#methods.ListEvents, query)) {
      for (const event of message.events) events.push(fromStoredEventMessage(event));
      const { nextPageToken, longEventCharacters } = message;
      rest = {
        ...(longEventCharacters !== undefined && { longEventCharacters }),
        ...(nextPageToken !== undefined && { nextPageToken }),
      };
    }
    return { events, ...rest };
  }

  async appendEvent(session: Session, event: Event): Promise<Event> {
    if (event.partial === true) return event;
    assertSessionKey(session);
    const request = {
      key: toSessionKeyMessage(session),
      haveRevision: session.revision,
      event: toEventMessage(toEventRecord(event)),
    };
    const news: StoredEvent[] = [];
    for await (const { events } of this.#peer.serverStream(this.#methods.AppendEvent, request))
      for (const stored of events) news.push(fromStoredEventMessage(stored));
    for (const stored of news) applyStored(session, stored, stored.id === event.id ? event : fromEventRecord(stored));
    return event;
  }

  async closeSession(key: SessionKey): Promise<void> {
    assertSessionKey(key);
    await this.#peer.unary(this.#methods.CloseSession, { key: toSessionKeyMessage(key) });
  }

  async listIdleSessions({ updatedBefore, pageSize, pageToken }: ListIdleRequest): Promise<IdlePage> {
    assertPageSize(pageSize);
    assertNotNegative("updatedBefore", updatedBefore);
    const { sessions, nextPageToken } = await this.#peer.unary(this.#methods.ListIdleSessions, {
      updatedBefore: toTimestamp(updatedBefore),
      ...page(pageSize, pageToken),
    });
    const fromMessage = ({ key, updateTime }: IdleSession__Output) => {
      return { key: fromSessionKey(key), lastUpdateTime: fromTimestamp(updateTime) };
    };
    return { sessions: sessions.map(fromMessage), nextPageToken };
  }

  async closeIdleSession(key: SessionKey, updatedBefore: number): Promise<boolean> {
    assertSessionKey(key);
    assertNotNegative("updatedBefore", updatedBefore);
    const request = { key: toSessionKeyMessage(key), ifUpdatedBefore: toTimestamp(updatedBefore) };
    return (await this.#peer.unary(this.#methods.CloseSession, request)).isClosed;
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    assertNotNegative("before", request.before);
    const answer = await this.#peer.unary(this.#methods.ListOldData, toListOldMessage(request));
    const items = answer.items.map(({ userId, sessionId, ...item }) => ({ ...fromOldItem(item), userId, sessionId }));
    return { items, nextPageToken: answer.nextPageToken };
  }

  async deleteOldData({ tenantId, appName, userId = "", before, ...request }: DeleteOldRequest): Promise<number> {
    const owner = { ...inTenant(tenantId), appName, userId };
    assertAppScope(owner);
    assertIdentifier("userId", userId);
    const items = request.items.map(({ sessionId, id }) => ({ sessionId, id }));
    const message = { ...owner, ...toTenantMember(owner), items, before: toTimestamp(before) };
    return (await this.#peer.unary(this.#methods.DeleteOldData, message)).deleted;
  }

  async applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session> {
    assertSessionKey(request);
    const { session } = await this.#peer.unary(this.#methods.ApplyStateDelta, {
      key: toSessionKeyMessage(request),
      stateDeltaJson: toJsonBytes(request.stateDelta),
      author: request.author,
      invocationId: request.invocationId,
    });
    return fromSessionMessage(session);
  }

  async readStorage(counts: readonly StorageCount[]): Promise<readonly StoredAmounts[]> {
    const { amounts } = await this.#peer.unary(this.#methods.ReadStorage, { counts: toStorageCounts(counts) });
    return amounts.map(({ sessions, storedBytes }) => ({
      sessions,
      storedBytes,
    }));
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return fromPageMessage(await this.#peer.unary(this.#methods.ListData, request));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return fromDeletedMessage(await this.#peer.unary(this.#methods.DeleteData, request));
  }

  async beginDeletion(owner: DataOwner): Promise<DataDeletion> {
    assertDataOwner(owner);
    const { deletion } = await this.#peer.unary(this.#methods.BeginDeletion, dataOwner(owner));
    return fromDeletionMessage(deletion);
  }

  async endDeletion(owner: DataOwner): Promise<void> {
    assertDataOwner(owner);
    await this.#peer.unary(this.#methods.EndDeletion, dataOwner(owner));
  }

  async listDeletions(): Promise<readonly DataDeletion[]> {
    const { deletions } = await this.#peer.unary(this.#methods.ListDeletions, {});
    return deletions.map(fromDeletionMessage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

function* creation(request: CreateSessionRequest, events: readonly EventRecord[]): Generator<CreateMessage> {
  const { appName, userId, id, state } = request;
  const stateJson = state === undefined ? {} : { stateJson: toJsonBytes(state) };
  yield { header: { ...toTenantMember(request), appName, userId, ...(id !== undefined && { id }), ...stateJson } };
  for (const batch of eventBatches(events)) yield { events: batch };
}

const MAX_INT32 = 2 ** 31 - 1;

function placeOf({ pageToken }: PagePlace): PagePlace {
  return pageToken === undefined ? {} : { pageToken };
}

function page(pageSize: number | undefined, pageToken: string | undefined) {
  return {
    ...(pageSize !== undefined && { pageSize: Math.min(pageSize, MAX_INT32) }),
    ...(pageToken !== undefined && { pageToken }),
  };
}

function assertCounts(fields: Readonly<Record<string, number | undefined>>): void {
  for (const [field, value] of Object.entries(fields)) {
    assertNotNegative(field, value);
    if (value === undefined || Number.isInteger(value) || value === Number.POSITIVE_INFINITY) continue;
    throw new PlatformError("INVALID_FIELD", `${field} must be a whole number.`, { details: { field } });
  }
}

function assertNotNegative(field: string, value: number | undefined): void {
  if (value === undefined || value >= 0) return;
  throw new PlatformError("INVALID_FIELD", `${field} must be 0 or more.`, { details: { field } });
}

/** Updates the caller's session with a stored event, unless a later answer that arrived first has done so. */
function applyStored(session: Session, { sequence }: StoredEvent, event: Event): void {
  if (sequence <= session.revision) return;
  session.events.push(event);
  applyDelta(session.state, event.actions.stateDelta);
  session.lastUpdateTime = event.timestamp;
  session.revision = sequence;
}
