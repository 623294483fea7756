import type { JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { apiPath, newKey, queryOf } from "./api-path.ts";
import { listOf, readNothing, readSession } from "./check-answer.ts";
import type { HttpClient } from "./http-client.ts";
import type { CallOptions, CreateOptions, SessionData } from "./wire-types.ts";

/** A session to create. */
export interface SessionInput {
  readonly appName: string;
  readonly userId: string;
  /** The server makes one if it is absent. */
  readonly id?: string | undefined;
  readonly state?: JsonObject | undefined;
}

/** Which events `sessions.get` returns. */
export interface ReadSessionOptions extends CallOptions {
  /** Only the newest so many events; 0 for none. */
  readonly numRecentEvents?: number | undefined;
  /** Only events at or after this instant, in seconds since the epoch with a fraction, or in milliseconds. */
  readonly afterTimestamp?: number | undefined;
}

/** Which page `sessions.list` returns. */
export interface ListSessionsOptions extends CallOptions {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** One page of a user's sessions. */
export interface SessionPage {
  /** Without their events. */
  readonly sessions: readonly SessionData[];
  /** Leads to the next page; absent on the last one, and where a page may not read the header `X-Next-Page-Token`. */
  readonly nextPageToken?: string;
}

/** Conversations of users. */
export interface SessionCalls {
  /** Rejects with `SESSION_ALREADY_EXISTS` if another call has created a session with the given id. */
  create(input: SessionInput, options?: CreateOptions): Promise<SessionData>;
  /** The session with its events. Rejects with `SESSION_NOT_FOUND`. */
  get(session: SessionKey, options?: ReadSessionOptions): Promise<SessionData>;
  list(user: Pick<SessionKey, "appName" | "userId">, options?: ListSessionsOptions): Promise<SessionPage>;
  /** Deletes the session with its events and files. Succeeds if there is none. */
  delete(session: SessionKey, options?: CallOptions): Promise<void>;
  /**
   * Sets keys of the state, and removes those with null. It is sent once, because a repeat could undo another change:
   * after `CONNECTION_LOST` read the session.
   */
  patchState(session: SessionKey, stateDelta: JsonObject, options?: CallOptions): Promise<SessionData>;
}

export function createSessionCalls(http: HttpClient): SessionCalls {
  return {
    create: async ({ appName, userId, id, state }, { signal, idempotencyKey = newKey() } = {}) => {
      const path = apiPath`/apps/${appName}/users/${userId}/sessions`;
      const headers = { "idempotency-key": idempotencyKey };
      return http.send({ method: "POST", path, headers, body: { sessionId: id, state }, signal }, readSession);
    },
    get: async (session, { signal, ...query } = {}) =>
      http.get(sessionPath(session) + queryOf(query), signal, readSession),
    list: async ({ appName, userId }, { signal, ...query } = {}) => {
      const path = apiPath`/apps/${appName}/users/${userId}/sessions` + queryOf(query);
      const read = listOf("The list of sessions", readSession);
      const { value: sessions, headers } = await http.sendForHeaders({ method: "GET", path, signal }, read);
      const nextPageToken = headers.get("x-next-page-token");
      return nextPageToken === null ? { sessions } : { sessions, nextPageToken };
    },
    delete: async (session, { signal } = {}) =>
      http.send({ method: "DELETE", path: sessionPath(session), signal }, readNothing),
    patchState: async (session, stateDelta, { signal } = {}) =>
      http.send({ method: "PATCH", path: sessionPath(session), body: { stateDelta }, signal, once: true }, readSession),
  };
}

function sessionPath({ appName, userId, id }: SessionKey): string {
  return apiPath`/apps/${appName}/users/${userId}/sessions/${id}`;
}
