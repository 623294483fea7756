import type { Event } from "#kit/events/event.ts";
import type { Session, SessionKey } from "#kit/sessions/session.ts";
import type {
  CreateSessionRequest,
  GetSessionConfig,
  ListEventsRequest,
  ListEventsResponse,
} from "#kit/sessions/session-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";

/** Names a session as ADK does. */
export interface CompositeSessionKey {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** The key of the kit or that of ADK. */
export type AnySessionKey = SessionKey | CompositeSessionKey;

/**
 * The store in memory, which also accepts requests in ADK's form: the session's id as `sessionId`, the config of a read
 * and the event to append as members of the one argument.
 */
export class InMemorySessionService extends InMemorySessionStore {
  override createSession({
    sessionId,
    ...request
  }: CreateSessionRequest & { readonly sessionId?: string | undefined }): Promise<Session> {
    return super.createSession(sessionId === undefined ? request : { ...request, id: sessionId });
  }

  override getSession(
    request: AnySessionKey & { readonly config?: GetSessionConfig | undefined },
    config: GetSessionConfig | undefined = request.config,
  ): Promise<Session | undefined> {
    return super.getSession(toSessionKey(request), config);
  }

  /** The session with this id, which is created if there is none. */
  async getOrCreateSession(request: Parameters<InMemorySessionService["createSession"]>[0]): Promise<Session> {
    const { appName, userId, sessionId = request.id } = request;
    const found = sessionId === undefined ? undefined : await super.getSession({ appName, userId, id: sessionId });
    return found ?? this.createSession(request);
  }

  override listEvents(request: AnySessionKey & Omit<ListEventsRequest, "id">): Promise<ListEventsResponse> {
    return super.listEvents({ ...request, ...toSessionKey(request) });
  }

  override deleteSession(request: AnySessionKey): Promise<void> {
    return super.deleteSession(toSessionKey(request));
  }

  override appendEvent(session: Session, event: Event): Promise<Event>;
  override appendEvent(request: { readonly session: Session; readonly event: Event }): Promise<Event>;
  override appendEvent(
    given: Session | { readonly session: Session; readonly event: Event },
    event?: Event,
  ): Promise<Event> {
    if ("session" in given) return super.appendEvent(given.session, given.event);
    // By the overloads, a call that passes a session also passes an event.
    return super.appendEvent(given, event as Event);
  }
}

function toSessionKey(key: AnySessionKey): SessionKey {
  if (!("sessionId" in key)) return key;
  return { appName: key.appName, userId: key.userId, id: key.sessionId };
}
