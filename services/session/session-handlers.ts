import {
  fromDeleteMessage,
  fromListMessage,
  fromListOldMessage,
  fromOwnerMessage,
  toDeletionMessage,
  toOldPageMessage,
  toPageMessage,
} from "#adapters/grpc/messages/data-messages.ts";
import { eventBatches, fromEventMessage } from "#adapters/grpc/messages/event-messages.ts";
import {
  assertComplete,
  batches,
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  PAGE_CHARACTERS,
  required,
  toJsonBytes,
  toSessionKeyMessage,
  toTimestamp,
} from "#adapters/grpc/messages/messages.ts";
import { toSessionMessage } from "#adapters/grpc/messages/session-messages.ts";
import { fromStorageCounts } from "#adapters/grpc/messages/storage-messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import type { Event } from "#kit/events/event.ts";
import { fromEventRecord, toEventRecord } from "#kit/events/event-record.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Session } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { assertImportedEvents, type SessionLimits } from "#ports/sessions/session-limits.ts";
import type { StorageReader } from "#ports/storage-limits/storage-limits.ts";
import { type IdleSession, idleSessionsOf } from "#ports/tenants/idle-sessions.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { dataDeletionsOf, tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { AppendEventRequest__Output } from "#proto/fairlead/session/v1/AppendEventRequest.ts";
import type { AppendEventResponse } from "#proto/fairlead/session/v1/AppendEventResponse.ts";
import type { CreateSessionHeader__Output } from "#proto/fairlead/session/v1/CreateSessionHeader.ts";
import type { CreateSessionRequest__Output } from "#proto/fairlead/session/v1/CreateSessionRequest.ts";
import type { ListEventsRequest__Output } from "#proto/fairlead/session/v1/ListEventsRequest.ts";
import type { ListEventsResponse } from "#proto/fairlead/session/v1/ListEventsResponse.ts";
import type { ListSessionsRequest__Output } from "#proto/fairlead/session/v1/ListSessionsRequest.ts";
import type { ListSessionsResponse } from "#proto/fairlead/session/v1/ListSessionsResponse.ts";
import type { SessionServiceHandlers } from "#proto/fairlead/session/v1/SessionService.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { pageOf } from "./page.ts";

/** The gRPC handlers of a `SessionService`. */
export function sessionHandlers(
  sessions: SessionService & StorageReader,
  handlers: GrpcHandlers,
  limits: SessionLimits,
): Omit<SessionServiceHandlers, "AllowEvaluation" | "GrantEvaluation"> {
  const data = tenantDataOf(sessions);
  const deletions = dataDeletionsOf(sessions);
  const idle = idleSessionsOf(sessions);
  const old = oldDataOf(sessions);
  return {
    ListData: handlers.unary(async (request) => toPageMessage(await data.listData(fromListMessage(request)))),
    DeleteData: handlers.unary((request) => data.deleteData(fromDeleteMessage(request))),
    BeginDeletion: handlers.unary(async (request) => ({
      deletion: toDeletionMessage(await deletions.beginDeletion(fromOwnerMessage(request))),
    })),
    EndDeletion: handlers.unary(async (request) => {
      await deletions.endDeletion(fromOwnerMessage(request));
      return {};
    }),
    ListDeletions: handlers.unary(async () => ({
      deletions: (await deletions.listDeletions()).map(toDeletionMessage),
    })),
    CreateSession: handlers.clientStream(async (messages) => ({
      session: toSessionMessage(await createSession(sessions, messages, limits)),
    })),
    GetSession: handlers.unary(async ({ key }) => {
      const session = await sessions.getSession(fromSessionKey(key), { numRecentEvents: 0 });
      return session === undefined ? {} : { session: toSessionMessage(session) };
    }),
    ListSessions: handlers.serverStream((request) => listSessions(sessions, request)),
    DeleteSession: handlers.unary(async ({ key }) => {
      await sessions.deleteSession(fromSessionKey(key));
      return {};
    }),
    ListEvents: handlers.serverStream((request) => listEvents(sessions, request)),
    AppendEvent: handlers.serverStream((request) => appendEvent(sessions, request)),
    CloseSession: handlers.unary(async ({ key, ifUpdatedBefore }) => {
      if (ifUpdatedBefore)
        return { isClosed: await idle.closeIdleSession(fromSessionKey(key), fromTimestamp(ifUpdatedBefore)) };
      await sessions.closeSession(fromSessionKey(key));
      return { isClosed: true };
    }),
    ListIdleSessions: handlers.unary(async ({ updatedBefore, pageSize, pageToken }) => {
      const page = await idle.listIdleSessions({ updatedBefore: fromTimestamp(updatedBefore), pageSize, pageToken });
      const toMessage = ({ key, lastUpdateTime }: IdleSession) => {
        return { key: toSessionKeyMessage(key), updateTime: toTimestamp(lastUpdateTime) };
      };
      return { sessions: page.sessions.map(toMessage), nextPageToken: page.nextPageToken };
    }),
    ListOldData: handlers.unary(async (request) =>
      toOldPageMessage(await old.listOldData(fromListOldMessage(request))),
    ),
    DeleteOldData: handlers.unary(async ({ tenantId, appName, userId, items, before }) => {
      const owner = { ...fromTenantMember({ tenantId }), appName, userId };
      return { deleted: await old.deleteOldData({ ...owner, items, before: fromTimestamp(before) }) };
    }),
    ApplyStateDelta: handlers.unary(async ({ key, stateDeltaJson, author, invocationId }) => {
      const stateDelta = fromJsonBytes<JsonObject>(stateDeltaJson, "The state delta");
      const request = { ...fromSessionKey(key), stateDelta, author, invocationId };
      return { session: toSessionMessage(await sessions.applyStateDelta(request)) };
    }),
    ReadStorage: handlers.unary(async ({ counts }) => ({
      amounts: [...(await sessions.readStorage(fromStorageCounts("counts", counts)))],
    })),
  };
}

async function createSession(
  sessions: SessionService,
  messages: AsyncIterable<CreateSessionRequest__Output>,
  limits: SessionLimits,
): Promise<Session> {
  let header: CreateSessionHeader__Output | null = null;
  let complete = false;
  const events: Event[] = [];
  for await (const message of messages) {
    header ??= message.header;
    complete = message.complete;
    assertImportedEvents(events.length + message.events.length, limits);
    for (const event of message.events) events.push(fromEventRecord(fromEventMessage(event)));
  }
  assertComplete(complete);
  const { appName = "", userId = "", id, stateJson } = header ?? {};
  return sessions.createSession({
    ...(header && fromTenantMember(header)),
    appName,
    userId,
    id,
    state: stateJson && fromJsonBytes<JsonObject>(stateJson, "The state"),
    events,
  });
}

async function* listSessions(
  sessions: SessionService,
  { appName, userId, pageSize, pageToken, maxCharacters, ...tenant }: ListSessionsRequest__Output,
): AsyncGenerator<ListSessionsResponse> {
  const answer = await sessions.listSessions({
    ...fromTenantMember(tenant),
    appName,
    userId,
    maxCharacters: maxCharacters ?? PAGE_CHARACTERS,
    sharedState: "apart",
    ...pageOf(pageSize, pageToken),
  });
  const messages = answer.sessions.map(toSessionMessage);
  for (const batch of batches(messages, ({ stateJson }) => 1024 + (stateJson?.length ?? 0))) yield { sessions: batch };
  const { sharedState, nextPageToken } = answer;
  if (nextPageToken === undefined && sharedState === undefined) return;
  yield {
    nextPageToken,
    sharedStateJson: sharedState && toJsonBytes(sharedState),
  };
}

async function* listEvents(
  sessions: SessionService,
  { key, afterRevision, fromHistoryStart, afterTimestamp, pageSize, pageToken, ...sizes }: ListEventsRequest__Output,
): AsyncGenerator<ListEventsResponse> {
  const { maxCharacters = PAGE_CHARACTERS } = sizes;
  const { maxEventCharacters = Math.max(maxCharacters, PAGE_CHARACTERS) } = sizes;
  const { events, nextPageToken, longEventCharacters } = await sessions.listEventRecords({
    ...fromSessionKey(key),
    maxEventCharacters,
    afterRevision,
    fromHistoryStart: fromHistoryStart || undefined,
    afterTimestamp: afterTimestamp ? fromTimestamp(afterTimestamp) : undefined,
    maxCharacters,
    ...pageOf(pageSize, pageToken),
  });
  for (const batch of eventBatches(events)) yield { events: batch };
  if (nextPageToken !== undefined) yield { nextPageToken, longEventCharacters };
}

async function* appendEvent(
  sessions: SessionService,
  { key, haveRevision, event }: AppendEventRequest__Output,
): AsyncGenerator<AppendEventResponse> {
  // Represents the caller's copy: the port brings it up to date, and the events that it then contains are those that
  // the caller lacks.
  const copy: Session = {
    ...fromSessionKey(key),
    state: {},
    events: [],
    lastUpdateTime: 0,
    revision: haveRevision,
  };
  await sessions.appendEvent(copy, fromEventRecord(fromEventMessage(required(event))));
  let sequence = copy.revision - copy.events.length;
  const stored = copy.events.map((each) => {
    sequence += 1;
    return { ...toEventRecord(each), sequence };
  });
  for (const events of eventBatches(stored)) yield { events };
}
