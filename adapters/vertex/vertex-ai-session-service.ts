import { PlatformError } from "#kit/errors/platform-error.ts";
import { SessionAlreadyExistsError, SessionClosedError, SessionNotFoundError } from "#kit/errors/session-errors.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { fromEventRecord, type StoredEvent } from "#kit/events/event-record.ts";
import { EVALUATION_SESSION_PREFIX, REMOVED_SENTINEL, TEMP_PREFIX } from "#kit/events/state-prefixes.ts";
import { assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier, assertSessionKey, isBlank } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT, type TenantScoped } from "#kit/names/tenant.ts";
import { type ClockAndIdsOptions, completeClockAndIds, type Sources } from "#kit/platform/clock-and-ids.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { checkOptions, clock, ids, integer, type OptionRules } from "#kit/schema/check-options.ts";
import { type Session, type SessionKey, sessionKey } from "#kit/sessions/session.ts";
import {
  type ApplyStateDeltaRequest,
  type CreateSessionRequest,
  type GetSessionConfig,
  type ListEventRecordsResponse,
  type ListEventsRequest,
  type ListEventsResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type SessionService,
  toListEventsResponse,
} from "#kit/sessions/session-service.ts";
import { applyDelta, setOwn } from "#kit/sessions/state-delta.ts";
import { cutEventPage, pageBySize } from "#ports/sessions/event-pages.ts";
import { assertPageSize, decodePageToken, encodePageToken } from "#ports/sessions/page-token.ts";
import { assertImportedEvents, assertStateDelta, DEFAULT_SESSION_LIMITS } from "#ports/sessions/session-limits.ts";
import { applyStored, assertNotNegative, jsonCopy } from "#ports/sessions/tabular-session-store.ts";
import { AgentPlatformClient, hasStatus } from "./agent-platform-client.ts";
import { AGENT_PLATFORM_RULES, AgentEngines, type AgentPlatformOptions } from "./agent-platform-options.ts";
import { type ManagedSession, ManagedSessionLog } from "./managed-session-log.ts";
import { defined, toSessionEvent } from "./session-event-form.ts";

/** Options of a `VertexAiSessionService`. */
export interface VertexAiSessionServiceOptions extends AgentPlatformOptions, ClockAndIdsOptions {
  /** How long the service keeps a session, in seconds; its own default if absent. */
  readonly ttlSeconds?: number | undefined;
}

/** A session to create, and what only the managed service has. */
export interface VertexAiCreateSessionRequest extends CreateSessionRequest {
  /** How long the service keeps the session, in seconds. Not with `expireTime`. */
  readonly ttlSeconds?: number;
  /** When the service deletes the session: ISO 8601. */
  readonly expireTime?: string;
  readonly displayName?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const RULES: OptionRules<VertexAiSessionServiceOptions> = {
  ...AGENT_PLATFORM_RULES,
  ttlSeconds: integer(1, " second"),
  clock,
  ids,
};
/** Ids that the service takes. Others could leave the collection's path. */
const SESSION_ID = /^[A-Za-z0-9_-]+$/;
/** Labels of a session: when it was closed, and which call created it. */
const CLOSED_LABEL = "fairlead_closed_ms";
const CREATION_LABEL = "fairlead_creation";

/**
 * Sessions of Google's Agent Platform (Vertex AI Agent Engine; REST interface v1beta1 of `reasoningEngines.sessions`), which
 * clients of ADK can read and write too.
 *
 * The service has no leases and commits an event at a time, so a runner needs a journal of its own beside it
 * (`ManagedSessionStore`). It has one state for each session: keys with `app:` and `user:` are stored in the session that set them and not
 * shared. A session's id is unique in its engine, and its tenants are one. `listSessions` does not know the number of events:
 * `revision` is 0 there. Every operation on a session reads or compares its owner: for other users it does not exist.
 *
 * @example
 * ```ts
 * const sessions = new VertexAiSessionService({ project: "acme", location: "us-central1", agentEngineId: "4711" });
 * const session = await sessions.createSession({ appName: "weather", userId: "ada" });
 * ```
 */
export class VertexAiSessionService implements SessionService, AsyncDisposable {
  readonly #client: AgentPlatformClient;
  readonly #engines: AgentEngines;
  readonly #log: ManagedSessionLog;
  readonly #sources: Sources;
  readonly #ttlSeconds: number | undefined;
  /** The end of the newest change of each session that this process makes. */
  readonly #changes = new Map<string, Promise<unknown>>();

  /** Connects with the first call. Throws `INVALID_FIELD`. */
  constructor(options: VertexAiSessionServiceOptions) {
    checkOptions("new VertexAiSessionService", options, RULES);
    this.#engines = new AgentEngines(options, "new VertexAiSessionService");
    this.#client = new AgentPlatformClient(this.#engines.baseUrl, options);
    this.#log = new ManagedSessionLog(this.#client);
    this.#sources = completeClockAndIds(options);
    this.#ttlSeconds = options.ttlSeconds;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }

  /** Whether the service can have the session: its app has an engine, its id fits, and it belongs to no other tenant. */
  canHold(key: SessionKey): boolean {
    try {
      return this.#nameOf(key) !== "";
    } catch {
      return false;
    }
  }

  /**
   * As the port says. A history is appended event by event; if that fails, the session is deleted again.
   */
  async createSession(request: VertexAiCreateSessionRequest): Promise<Session> {
    const id = isBlank(request.id) ? this.#sources.ids.next() : request.id;
    const key = sessionKey({ ...request, id });
    const name = this.#nameOf(key);
    const { displayName, labels, expireTime } = request;
    const ttlSeconds = request.ttlSeconds ?? (expireTime === undefined ? this.#ttlSeconds : undefined);
    assertImportedEvents(request.events?.length ?? 0, DEFAULT_SESSION_LIMITS);
    const sessionState = ownState(jsonCopy(request.state ?? {}));
    assertStateDelta(sessionState, DEFAULT_SESSION_LIMITS);
    const creation = this.#sources.ids.next();
    const body = defined({
      userId: key.userId,
      ...{ displayName, expireTime, sessionState, labels: { ...labels, [CREATION_LABEL]: creation } },
      ttl: ttlSeconds === undefined ? undefined : `${ttlSeconds}s`,
    });
    await this.#create({ name, key, body, creation });
    try {
      const events = (request.events ?? []).filter(({ partial }) => partial !== true);
      if (events.length > 0) await this.#append(name, key, events);
    } catch (error) {
      await this.deleteSession(key).catch(() => undefined);
      throw error;
    }
    const created = await this.getSession(key);
    if (created === undefined) throw new SessionNotFoundError(key);
    return created;
  }

  async getSession(key: SessionKey, config: GetSessionConfig = {}): Promise<Session | undefined> {
    assertNotNegative({ ...config });
    const session = await this.#log.read(this.#nameOf(key), key);
    if (session === undefined) return undefined;
    const { numRecentEvents = Number.POSITIVE_INFINITY, afterTimestamp = 0, afterRevision = 0 } = config;
    const after = Math.max(afterRevision, session.events.length - numRecentEvents);
    const wanted = session.events.filter(({ sequence, timestamp }) => sequence > after && timestamp >= afterTimestamp);
    return sessionOf(key, session, wanted);
  }

  async listSessions(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { appName, userId, pageSize, maxCharacters, pageToken } = request;
    assertAppScope(request);
    assertIdentifier("userId", userId);
    assertOneTenant(request);
    assertPageSize(pageSize);
    assertNotNegative({ maxCharacters });
    const after = pageToken === undefined ? undefined : decodePageToken("sessions", pageToken);
    const found: Session[] = [];
    for await (const session of this.#log.list(this.#engines.engineOf(appName), userId)) {
      const id = session.name.slice(session.name.lastIndexOf("/") + 1);
      if (!id.startsWith(EVALUATION_SESSION_PREFIX)) found.push(sessionOf({ appName, userId, id }, session, []));
    }
    found.sort((one, other) => other.lastUpdateTime - one.lastUpdateTime || (one.id < other.id ? -1 : 1));
    const rest =
      after === undefined
        ? found
        : found.filter(
            ({ lastUpdateTime: time, id }) => time < after.number || (time === after.number && id > after.id),
          );
    const size = (session: Session) => JSON.stringify(session.state).length;
    const { page, hasMore } = pageBySize(rest, size, { limit: pageSize, most: maxCharacters });
    const last = page.at(-1);
    const nextPageToken =
      hasMore && last !== undefined
        ? encodePageToken("sessions", { number: last.lastUpdateTime, id: last.id })
        : undefined;
    return { sessions: page, nextPageToken };
  }

  async deleteSession(key: SessionKey): Promise<void> {
    const name = this.#nameOf(key);
    if ((await this.#log.find(name, key)) === undefined) return;
    await this.#client.delete(name);
    this.#log.forget(name);
  }

  async listEvents(request: ListEventsRequest): Promise<ListEventsResponse> {
    return toListEventsResponse(await this.listEventRecords(request));
  }

  async listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse> {
    const { pageSize, pageToken, afterRevision = 0, afterTimestamp = 0, maxCharacters, maxEventCharacters } = request;
    const name = this.#nameOf(request);
    assertPageSize(pageSize);
    assertNotNegative({ afterTimestamp, maxCharacters, maxEventCharacters });
    const after = pageToken === undefined ? afterRevision : decodePageToken("events", pageToken).number;
    const session = await this.#log.read(name, request);
    if (session === undefined) throw new SessionNotFoundError(request);
    const { events, hasMore, last, longEventCharacters } = cutEventPage(
      session.events.filter(({ sequence }) => sequence > after),
      {
        afterRevision: after,
        ...{ afterTimestamp, limit: pageSize, maxEventCharacters },
        maxCharacters: maxCharacters ?? Number.POSITIVE_INFINITY,
      },
    );
    const isMore = hasMore && last < session.events.length;
    return {
      ...{ events, longEventCharacters },
      nextPageToken: isMore ? encodePageToken("events", { number: last, id: "" }) : undefined,
    };
  }

  async appendEvent(session: Session, event: Event): Promise<Event> {
    if (event.partial === true) return event;
    const news = await this.#append(this.#nameOf(session), session, [event], session.revision);
    for (const stored of news) applyStored(session, stored, stored.id === event.id ? event : undefined);
    return event;
  }

  /**
   * Appends the events that the session lacks, in their order, and returns its events after the revision, these
   * included. A call after one whose outcome is unknown appends nothing twice. Throws `SESSION_NOT_FOUND` and
   * `SESSION_CLOSED`.
   */
  async appendEvents(
    key: SessionKey,
    events: readonly Event[],
    afterRevision: number,
  ): Promise<readonly StoredEvent[]> {
    return this.#append(this.#nameOf(key), key, events, afterRevision);
  }

  async closeSession(key: SessionKey): Promise<void> {
    const name = this.#nameOf(key);
    const session = await this.#log.find(name, key);
    if (session === undefined) throw new SessionNotFoundError(key);
    if (session.labels[CLOSED_LABEL] !== undefined) return;
    const labels = { ...session.labels, [CLOSED_LABEL]: String(this.#sources.clock.now()) };
    const body = { name, userId: key.userId, labels };
    await this.#client.call({ method: "PATCH", path: name, query: { updateMask: "labels" }, body });
  }

  async applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session> {
    const name = this.#nameOf(request);
    const session = await this.#log.find(name, request);
    if (session === undefined) throw new SessionNotFoundError(request);
    if (session.labels[CLOSED_LABEL] !== undefined) throw new SessionClosedError(request);
    const stateDelta = changesOf(session.state, request.stateDelta);
    if (Object.keys(stateDelta).length > 0) {
      const { author, invocationId } = request;
      const timestamp = this.#sources.clock.now();
      const actions = createEventActions({ stateDelta });
      const event = createEvent({ id: this.#sources.ids.next(), invocationId, author, timestamp, actions });
      await this.#append(name, request, [event]);
    }
    const changed = await this.getSession(request, { numRecentEvents: 0 });
    if (changed === undefined) throw new SessionNotFoundError(request);
    return changed;
  }

  /**
   * The label shows which call created a session: one whose answer was lost is not created again, and the caller of another
   * one learns that the id is in use.
   */
  async #create({ name, key, body, creation }: Creation): Promise<void> {
    const isOwn = async () => {
      const found = await this.#client.find(name);
      const labels = found?.["labels"];
      return found === undefined ? undefined : isJsonObject(labels) && labels[CREATION_LABEL] === creation;
    };
    let isUnsure = false;
    const repeat = async () => {
      isUnsure = true;
      return (await isOwn()) === true;
    };
    const path = name.slice(0, name.lastIndexOf("/"));
    try {
      const call = { method: "POST", path, query: { sessionId: key.id }, body, repeat } as const;
      await this.#client.complete(await this.#client.call(call));
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
      // The operation of the lost call can still be going on, and the session appears at its end.
      if (isUnsure && (await this.#client.poll(`The creation of ${name}`, isOwn))) return;
      throw new SessionAlreadyExistsError(key);
    }
  }

  /**
   * Appends the events that are not there, and returns the events after the given revision. Changes of one session by this
   * process follow each other, so that none takes the place of another.
   */
  async #append(
    name: string,
    key: SessionKey,
    events: readonly Event[],
    after?: number,
  ): Promise<readonly StoredEvent[]> {
    for (const { actions } of events) assertStateDelta(actions.stateDelta, DEFAULT_SESSION_LIMITS);
    const before = this.#changes.get(name) ?? Promise.resolve();
    const change = before.catch(() => undefined).then(() => this.#appendNow(name, key, events, after));
    this.#changes.set(name, change);
    try {
      return await change;
    } finally {
      if (this.#changes.get(name) === change) this.#changes.delete(name);
    }
  }

  async #appendNow(
    name: string,
    key: SessionKey,
    events: readonly Event[],
    after?: number,
  ): Promise<readonly StoredEvent[]> {
    const tail = await this.#log.readTail(name, key, after);
    if (tail === undefined) throw new SessionNotFoundError(key);
    if (tail.session.labels[CLOSED_LABEL] !== undefined) throw new SessionClosedError(key);
    for (const event of events) {
      if (tail.has(event.id)) continue;
      const body = toSessionEvent(event, tail.newest());
      // The answer was lost, or not: the event is there, or not.
      const repeat = async () => {
        await tail.refresh();
        return tail.has(event.id);
      };
      try {
        await this.#client.call({ method: "POST", path: `${name}:appendEvent`, body, repeat });
      } catch (error) {
        if (hasStatus(error, 404)) throw new SessionNotFoundError(key);
        throw error;
      }
      tail.add(event, body);
    }
    return tail.events();
  }

  #nameOf(key: SessionKey): string {
    assertSessionKey(key);
    assertOneTenant(key);
    if (!SESSION_ID.test(key.id)) {
      throw new PlatformError(
        "INVALID_IDENTIFIER",
        "sessionId must consist of letters, digits, - and _ in a managed session service.",
        { details: { field: "sessionId" } },
      );
    }
    return `${this.#engines.engineOf(key.appName)}/sessions/${key.id}`;
  }
}

interface Creation {
  readonly name: string;
  readonly key: SessionKey;
  readonly body: JsonObject;
  readonly creation: string;
}

/** Throws `INVALID_IDENTIFIER`: the service could not keep the sessions of two tenants apart. */
function assertOneTenant({ tenantId }: TenantScoped): void {
  if (tenantId === undefined || tenantId === DEFAULT_TENANT) return;
  throw new PlatformError("INVALID_IDENTIFIER", "tenantId must be absent: a managed session service has one tenant.", {
    details: { field: "tenantId" },
  });
}

function sessionOf(key: SessionKey, session: ManagedSession, events: readonly StoredEvent[]): Session {
  const closed = session.labels[CLOSED_LABEL];
  return {
    ...sessionKey(key),
    state: { ...session.state },
    events: events.map(fromEventRecord),
    lastUpdateTime: session.events.at(-1)?.timestamp ?? session.updateTime,
    revision: session.events.length,
    closedTime: closed === undefined ? undefined : Number(closed),
  };
}

/** The state without keys of one invocation and without removed keys. */
function ownState(state: JsonObject): Record<string, JsonValue> {
  const own: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(state)) if (!key.startsWith(TEMP_PREFIX)) setOwn(own, key, value);
  const kept: Record<string, JsonValue> = {};
  applyDelta(kept, own);
  return kept;
}

function changesOf(state: JsonObject, delta: JsonObject): Record<string, JsonValue> {
  const changes: Record<string, JsonValue> = {};
  for (const [key, given] of Object.entries(delta)) {
    const value = given === REMOVED_SENTINEL ? null : given;
    const current = Object.hasOwn(state, key) ? (state[key] ?? null) : null;
    if (!key.startsWith(TEMP_PREFIX) && canonicalJson(current) !== canonicalJson(value)) setOwn(changes, key, value);
  }
  return changes;
}
