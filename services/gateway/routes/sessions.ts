import type { FastifyReply } from "fastify";
import { restoreEventJson } from "#kit/artifacts/inline-data.ts";
import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { toEventJson } from "#kit/events/event-record.ts";
import { toMilliseconds } from "#kit/events/timestamp.ts";
import { isBlank } from "#kit/names/identifiers.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { CreateSessionRequest } from "#kit/sessions/session-service.ts";
import { assertImportedEvents, assertStateDelta } from "#ports/sessions/session-limits.ts";
import { BUILDER_ASSISTANT } from "#shared/agents/editor/editor-settings.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayDeps, RouteDeps } from "../deps.ts";
import { echoBytes, stateBytes } from "../http/answer-bound.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { described } from "../openapi/route-description.ts";
import { answerOnce, CreateHeaders, digest, readIdempotencyKey } from "../requests/idempotency.ts";
import { checkClientState } from "../requests/state-keys.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { readBodyPart } from "../requests/validation.ts";
import { answers, EventSchema, JsonMap, SessionParams, SessionSchema, UserParams } from "../requests/wire-schemas.ts";
import { importedState, refuseAppState, withoutAppState } from "../sessions/app-state.ts";
import { storeLargeHistoryData } from "../sessions/large-data.ts";
import { toInitialEvents } from "../sessions/session-import.ts";
import { readSessionPage, sessionListPieces, sessionPagePieces } from "../sessions/session-list.ts";
import { deleteSessionParts } from "../sessions/session-parts.ts";
import { type EventChoice, sessionAnswer, sessionJson } from "../sessions/wire-session.ts";
import { answersOf } from "../streams/answers-of.ts";
import { sendPieces } from "../streams/send-pieces.ts";

const ImportedEventSchema = Type.Object({
  ...EventSchema.properties,
  id: Type.Optional(Type.String()),
  invocationId: Type.Optional(Type.String()),
  timestamp: Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15, description: "Seconds or milliseconds." })),
  // Refused or left out as a whole.
  actions: Type.Optional(Type.Unknown()),
  cacheMetadata: Type.Optional(Type.Unknown()),
  deletedArtifactIds: Type.Optional(Type.Unknown()),
  compactedSequences: Type.Optional(Type.Unknown()),
  resumption: Type.Optional(Type.Unknown()),
});

const SessionRequest = Type.Object({
  sessionId: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: "The id; the server makes one if it is absent." }),
  ),
  state: Type.Optional(Type.Union([JsonMap, Type.Null()], { description: "The state at the start." })),
  events: Type.Optional(
    Type.Union([Type.Array(ImportedEventSchema), Type.Null()], {
      description:
        "A history to begin with. Models read it; its calls are never executed, and its invocations are not resumed. Changes of state are taken if `state` has what they led to, as that of a session which was read has.",
    }),
  ),
});

const PatchBody = Type.Object({
  stateDelta: Type.JsonObject({ description: "The keys to set. A key with the value null is removed." }),
});

/** Refusals of the state and the events of a new session. */
const CREATE_ERRORS = [
  ...["SESSION_ALREADY_EXISTS", "RESERVED_STATE_KEY", "APP_STATE_READ_ONLY", "INVALID_MESSAGE"],
  ...["STATE_TOO_LARGE", "TOO_MANY_EVENTS", "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_IN_USE"],
] as const;

const ListQuery = Type.Object({
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  pageToken: Type.Optional(Type.String()),
});

const NumRecentEvents = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: "Only the newest so many events; 0 for none." }),
);
const AfterTimestamp = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 8.64e15,
    description:
      "Only events at or after this instant, in seconds since the epoch with a fraction, or in milliseconds.",
  }),
);

const ReadQuery = Type.Object({
  numRecentEvents: NumRecentEvents,
  num_recent_events: Type.Optional({ ...NumRecentEvents, description: "Another spelling of `numRecentEvents`." }),
  afterTimestamp: AfterTimestamp,
  after_timestamp: Type.Optional({ ...AfterTimestamp, description: "Another spelling of `afterTimestamp`." }),
});

const SESSION_EXAMPLE = {
  id: "first",
  appName: "weather",
  userId: "me",
  state: { city: "Paris" },
  events: [],
  lastUpdateTime: 1_790_000_000.123,
};

const SESSIONS = "/apps/:appName/users/:userId/sessions";
const SESSION = `${SESSIONS}/:sessionId`;

export function sessionRoutes(deps: RouteDeps): TypedRoutes {
  const { sessionService, runStream, ids } = deps;

  return async (app) => {
    app.post(
      SESSIONS,
      {
        schema: described({
          operationId: "createSession",
          answer: (config, request) => stateBytes(config) + echoBytes(request),
          access: { scope: "sessions:write", owner: "path-user" },
          tags: ["sessions"],
          summary: "Create a session",
          description: "The body may be empty. The app need not be loaded.",
          errors: CREATE_ERRORS,
          params: UserParams,
          body: Type.Union([SessionRequest, Type.Null()]),
          example: { state: { city: "Paris" } },
          headers: CreateHeaders,
          response: answers({ 200: SessionSchema }),
          answerExamples: { "application/json": SESSION_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const { appName, userId } = request.params;
        const call = { owner: { appName, userId }, key: readIdempotencyKey(request.headers) };
        return sendCreated(deps, reply, await createOnce(deps, call, request.body ?? {}));
      },
    );

    app.post(
      SESSION,
      {
        schema: described({
          operationId: "createSessionWithId",
          answer: (config, request) => stateBytes(config) + echoBytes(request),
          access: { scope: "sessions:write", owner: "path-user" },
          tags: ["sessions"],
          summary: "Create a session under an id",
          description:
            "The body is `{state, events}`, or the state itself, and may be empty. An id that exists is answered with 409.",
          errors: CREATE_ERRORS,
          params: SessionParams,
          body: Type.Union([JsonMap, Type.Null()]),
          example: { state: { city: "Paris" } },
          headers: CreateHeaders,
          response: answers({ 200: SessionSchema }),
          answerExamples: { "application/json": SESSION_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const { appName, userId, sessionId } = request.params;
        const body = wrapState(request.body ?? {});
        const call = { owner: { appName, userId }, key: readIdempotencyKey(request.headers) };
        return sendCreated(deps, reply, await createOnce(deps, call, { ...body, sessionId }));
      },
    );

    app.get(
      SESSIONS,
      {
        schema: described({
          operationId: "listSessions",
          answer: "in-parts",
          access: { scope: "sessions:read", owner: "path-user" },
          tags: ["sessions"],
          summary: "List a user's sessions",
          description:
            "Without their events, the newest update first. Without `pageSize` the whole list; with it, the header `X-Next-Page-Token` has the token of the next page. A page may have fewer sessions if their state is large.",
          errors: ["INVALID_CURSOR"],
          params: UserParams,
          querystring: ListQuery,
          response: answers({ 200: Type.Array(SessionSchema) }),
          answerExamples: { "application/json": [{ ...SESSION_EXAMPLE, events: [] }] },
        }),
      },
      async (request, reply) => {
        const { appName, userId } = request.params;
        const { pageSize, pageToken } = request.query;
        const account = answersOf(deps, request);
        // Copied by name, because a query may contain other members of the service's request.
        const list = { appName, userId, pageToken };
        if (pageSize === undefined)
          return sendPieces(deps, reply, { answers: account, pieces: sessionListPieces(deps, account, list) });
        const { page, room } = await readSessionPage(deps, account, { ...list, pageSize });
        if (page.nextPageToken !== undefined) reply.header("x-next-page-token", page.nextPageToken);
        return sendPieces(deps, reply, { answers: account, pieces: sessionPagePieces(page, room) });
      },
    );

    app.get(
      SESSION,
      {
        schema: described({
          operationId: "readSession",
          answer: "in-parts",
          access: { scope: "sessions:read", owner: "path-user" },
          tags: ["sessions"],
          summary: "Read a session with its events",
          description:
            "All events, unless the query asks for fewer. With both parameters: of the newest `numRecentEvents`, those since `afterTimestamp`. The state is always the current one.",
          params: SessionParams,
          querystring: ReadQuery,
          errors: ["SESSION_NOT_FOUND"],
          response: answers({ 200: SessionSchema }),
          answerExamples: { "application/json": SESSION_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const choice = toEventChoice(request.query);
        return sendPieces(deps, reply, sessionAnswer(deps, answersOf(deps, request), toKey(request.params), choice));
      },
    );

    app.delete(
      SESSION,
      {
        schema: described({
          operationId: "deleteSession",
          answer: "small",
          access: { scope: "sessions:write", owner: "path-user" },
          tags: ["sessions"],
          summary: "Delete a session",
          description: "With its events and files. A session that does not exist is not an error.",
          params: SessionParams,
          response: answers({ 200: Type.Null() }),
        }),
      },
      async (request, reply) => {
        const key = toKey(request.params);
        await sessionService.deleteSession(key);
        await deleteSessionParts(deps, key);
        runStream.announce(key);
        return reply.type(JSON_TYPE).send("null");
      },
    );

    app.patch(
      SESSION,
      {
        schema: described({
          operationId: "updateSessionState",
          answer: "in-parts",
          access: { scope: "sessions:write", owner: "path-user" },
          tags: ["sessions"],
          summary: "Change a session's state",
          description: "Stores one event of the author `user` with these keys, and answers the session.",
          errors: ["SESSION_NOT_FOUND", "RESERVED_STATE_KEY", "APP_STATE_READ_ONLY", "STATE_TOO_LARGE"],
          params: SessionParams,
          body: PatchBody,
          example: { stateDelta: { city: "Rome" } },
          response: answers({ 200: SessionSchema }),
          answerExamples: { "application/json": SESSION_EXAMPLE },
        }),
      },
      async (request, reply) => {
        const key = toKey(request.params);
        const given = request.body.stateDelta;
        checkClientState(given);
        const stateDelta = await withoutAppState(deps, key, given);
        await sessionService.applyStateDelta({ ...key, stateDelta, author: "user", invocationId: `p-${ids.next()}` });
        runStream.announce(key);
        return sendPieces(deps, reply, sessionAnswer(deps, answersOf(deps, request), key));
      },
    );
  };
}

function toEventChoice(query: Static<typeof ReadQuery>): EventChoice {
  const numRecentEvents = query.numRecentEvents ?? query.num_recent_events;
  const afterTimestamp = query.afterTimestamp ?? query.after_timestamp;
  return {
    numRecentEvents,
    afterTimestamp: afterTimestamp === undefined ? undefined : toMilliseconds(afterTimestamp),
  };
}

function toKey({
  appName,
  userId,
  sessionId,
}: {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}): SessionKey {
  return { appName, userId, id: sessionId };
}

type CreateRequest = Static<typeof SessionRequest>;

interface CreateCall {
  readonly owner: Pick<SessionKey, "appName" | "userId">;
  readonly key: string | undefined;
}

/** The new session as JSON, or the key of the one that an earlier call has created. */
type Created = string | SessionKey;

function sendCreated(deps: RouteDeps, reply: FastifyReply, created: Created): Promise<FastifyReply> | FastifyReply {
  if (typeof created === "string") return reply.type(JSON_TYPE).send(created);
  return sendPieces(deps, reply, sessionAnswer(deps, answersOf(deps, reply.request), created));
}

/**
 * With a key, the id of a session without one is derived from the key: a repeated call whose key has expired finds the
 * session of the first one.
 */
async function createOnce(deps: RouteDeps, { owner, key }: CreateCall, body: CreateRequest): Promise<Created> {
  if (key === undefined) return create(deps, owner, body);
  const { appName, userId } = owner;
  const scope = ["session", appName, userId];
  const made = !isBlank(body.sessionId) ? undefined : `k-${digest([...scope, key]).slice(0, 32)}`;
  return answerOnce<Created>({ store: deps.idempotencyStore, scope, key, body }, async (isRepeat) => {
    try {
      return await create(deps, owner, made === undefined ? body : { ...body, sessionId: made });
    } catch (error) {
      const exists = error instanceof PlatformError && error.reason === "SESSION_ALREADY_EXISTS";
      const id = made ?? (isRepeat ? body.sessionId : undefined);
      if (!id || !exists) throw error;
      return { ...owner, id };
    }
  });
}

async function create(
  deps: GatewayDeps,
  owner: Pick<SessionKey, "appName" | "userId">,
  { sessionId, state, events }: CreateRequest,
): Promise<string> {
  // The developer UI begins a conversation before it asks whether there is somebody to talk to.
  if (owner.appName === BUILDER_ASSISTANT && deps.builder === undefined) throw appNotFound(BUILDER_ASSISTANT);
  const initialState = importedState(deps.config, state ?? {}, events ?? []);
  checkClientState(initialState);
  refuseAppState(deps.config, initialState);
  const { sessionService, artifactService, clock, ids } = deps;
  // Checked before files of the history are stored, so that a refused session leaves nothing behind.
  const limits = sessionLimitsOf(deps.config);
  assertImportedEvents(events?.length ?? 0, limits);
  assertStateDelta(initialState, limits);
  const initialEvents = toInitialEvents(events ?? [], { clock, ids, state: state ?? {} });
  const request: CreateSessionRequest = {
    ...owner,
    id: !isBlank(sessionId) ? sessionId : undefined,
    state: initialState,
    events: initialEvents.length > 0 ? initialEvents : undefined,
  };
  const session = await sessionService.createSession(await storeLargeHistoryData(deps, request));
  const inlineData = { artifacts: artifactService, session };
  const jsons = session.events.map((event: Event) => restoreEventJson(toEventJson(event), inlineData));
  return sessionJson(session, await Promise.all(jsons));
}

/** Java, JavaScript and Go clients send `{"state": …}`, Python ones the state itself. */
function wrapState(body: JsonObject): CreateRequest {
  const isWrapped =
    typeof body["state"] === "object" && Object.keys(body).every((key) => key === "state" || key === "events");
  return isWrapped ? readBodyPart(SessionRequest, body) : { state: body };
}
