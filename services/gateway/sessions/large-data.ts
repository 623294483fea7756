import { externalizeContent, externalizeEvent, hasLargeInlineData } from "#kit/artifacts/inline-data.ts";
import { SessionNotFoundError } from "#kit/errors/session-errors.ts";
import type { Event } from "#kit/events/event.ts";
import type { CreateSessionRequest } from "#kit/sessions/session-service.ts";
import type { StartRunRequest } from "#ports/runs/runner-service.ts";
import type { GatewayDeps } from "../deps.ts";

/**
 * Stores large data of the request's message as artifacts. App and session are checked first, as the data of a refused
 * request would stay behind. `owner` returns a name for the data; by default it is new each time.
 */
export async function storeLargeRunData(
  deps: GatewayDeps,
  start: StartRunRequest,
  owner: () => string = () => deps.ids.next(),
): Promise<StartRunRequest> {
  const { newMessage, autoCreateSession } = start.request;
  if (newMessage === undefined || !hasLargeInlineData(newMessage)) return start;
  const { runnerService, sessionService, artifactService } = deps;
  await runnerService.describeApp(start.session.appName);
  const session = await sessionService.getSession(start.session, { numRecentEvents: 0 });
  if (session === undefined && autoCreateSession !== true) throw new SessionNotFoundError(start.session);
  const store = { artifacts: artifactService, session: start.session };
  return {
    ...start,
    request: { ...start.request, newMessage: await externalizeContent(newMessage, store, owner()) },
  };
}

/** The same for the history of a new session. Gives the session an id if there is data to store. */
export async function storeLargeHistoryData(
  deps: GatewayDeps,
  create: CreateSessionRequest,
): Promise<CreateSessionRequest> {
  const { events = [], appName, userId, id = deps.ids.next() } = create;
  if (!events.some(({ content }: Event) => hasLargeInlineData(content))) return create;
  const key = { appName, userId, id };
  const existing = await deps.sessionService.getSession(key, { numRecentEvents: 0 });
  // The store refuses this id; no data of the request may reach the other session's files.
  if (existing !== undefined) return create;
  const store = { artifacts: deps.artifactService, session: key };
  const stored: Event[] = [];
  for (const event of events) stored.push(await externalizeEvent(event, store));
  return { ...create, id, events: stored };
}
