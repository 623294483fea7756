import type { Event } from "../events/event.ts";
import { fromEventRecord, type StoredEvent } from "../events/event-record.ts";
import type { TenantScoped } from "../names/tenant.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";
import type { Session, SessionKey } from "./session.ts";

/** The part of a session's events that a read returns. All given limits apply; absent means all events. */
export interface GetSessionConfig {
  /** Only this many of the newest events; 0 reads none. */
  readonly numRecentEvents?: number;
  /** Only events with a timestamp at or after this instant, in milliseconds. */
  readonly afterTimestamp?: number;
  /** Only events with a greater sequence. */
  readonly afterRevision?: number;
}

/** A session to create. */
export interface CreateSessionRequest extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
  /** Generated when absent. */
  readonly id?: string;
  /** Routed by prefix; `temp:` keys are dropped. */
  readonly state?: JsonObject;
  /** History to start with, in order; its deltas are applied. Runs resume and execute nothing in it. */
  readonly events?: readonly Event[];
}

export interface ListSessionsRequest extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
  /** Absent: all. */
  readonly pageSize?: number;
  /** The page ends with the session by which the JSON of the sessions' own state reaches this size; absent: any size. */
  readonly maxCharacters?: number;
  /**
   * Where the state of the app and of the user is: in each session's state by default, and with `apart` once in the
   * response.
   */
  readonly sharedState?: "merged" | "apart";
  readonly pageToken?: string;
}

/** A page of a user's sessions; `nextPageToken` is absent on the last page. */
export interface ListSessionsResponse {
  /** State included, events empty; newest update first, equal times by id. */
  readonly sessions: readonly Session[];
  /** The state that all sessions of the user share, keys with their prefix; absent if it is merged or there is none. */
  readonly sharedState?: Record<string, JsonValue>;
  readonly nextPageToken?: string;
}

export interface ListEventsRequest extends SessionKey {
  readonly afterRevision?: number;
  /** Only events with a timestamp at or after this instant, in milliseconds. */
  readonly afterTimestamp?: number;
  /** Only the events that the session's history start includes; absent: all stored events. */
  readonly fromHistoryStart?: boolean;
  readonly pageSize?: number;
  /**
   * The page ends with the event by which the JSON of its events reaches this size, in characters; absent: any size.
   * Not with `fromHistoryStart`.
   */
  readonly maxCharacters?: number;
  /**
   * The page ends before an event whose stored JSON is longer than this: such an event is read alone, without this
   * limit. Absent: any size. Not with `fromHistoryStart`.
   */
  readonly maxEventCharacters?: number;
  readonly pageToken?: string;
}

/** A page of a session's events in their order; `nextPageToken` is absent on the last page. */
export interface ListEventsResponse {
  readonly events: readonly Event[];
  /** The size of the stored JSON of the next event, if it is longer than `maxEventCharacters`. */
  readonly longEventCharacters?: number;
  readonly nextPageToken?: string;
}

/** As `ListEventsResponse`, with the events as they are stored. */
export interface ListEventRecordsResponse extends Omit<ListEventsResponse, "events"> {
  readonly events: readonly StoredEvent[];
}

export function toListEventsResponse(page: ListEventRecordsResponse): ListEventsResponse {
  return { ...page, events: page.events.map(fromEventRecord) };
}

export interface ApplyStateDeltaRequest extends SessionKey {
  readonly stateDelta: JsonObject;
  readonly author: string;
  readonly invocationId: string;
}

/**
 * Sessions with their events and state. Every method checks its identifiers (`INVALID_IDENTIFIER`), handles a missing
 * session as stated below, and changes all or nothing.
 */
export interface SessionService {
  /** Throws `SESSION_ALREADY_EXISTS` if the id is in use. */
  createSession(request: CreateSessionRequest): Promise<Session>;
  /**
   * The session, or undefined if it was never created or is deleted. Reads only the events that the config asks for.
   */
  getSession(key: SessionKey, config?: GetSessionConfig): Promise<Session | undefined>;
  listSessions(request: ListSessionsRequest): Promise<ListSessionsResponse>;
  /** Deletes the session, its events and its run records. Succeeds when there is none. */
  deleteSession(key: SessionKey): Promise<void>;
  /** Throws `SESSION_NOT_FOUND`. */
  listEvents(request: ListEventsRequest): Promise<ListEventsResponse>;
  /** As `listEvents`, for those who send or count events and need not parse them. */
  listEventRecords(request: ListEventsRequest): Promise<ListEventRecordsResponse>;
  /**
   * Stores the event and applies its state delta, to the store and to the given session object alike. A partial event
   * is returned as it is and nothing is stored; `temp:` keys reach only the object. Idempotent by event id. For writers
   * outside a run (imports, programs); a run writes through the `RunJournal`. A call in such an event is history and is never
   * executed. Throws `SESSION_NOT_FOUND`,
   * `SESSION_CLOSED`.
   */
  appendEvent(session: Session, event: Event): Promise<Event>;
  /** Refuses further runs and events; reads remain possible. Idempotent. Throws `SESSION_NOT_FOUND`. */
  closeSession(key: SessionKey): Promise<void>;
  /**
   * Changes state from outside a run: stores one event that contains only the delta, in the same commit. It can run
   * concurrently with an active run and never breaks its lease. Keys that already have the given value are left out; if
   * none is left, nothing is stored. Returns the session without events. Throws `SESSION_NOT_FOUND`, `SESSION_CLOSED`.
   */
  applyStateDelta(request: ApplyStateDeltaRequest): Promise<Session>;
}
