import { PlatformError } from "../errors/platform-error.ts";
import type { Content } from "../events/content.ts";
import { type Event, functionCalls } from "../events/event.ts";
import { fromEventRecord } from "../events/event-record.ts";
import type { SessionKey } from "../sessions/session.ts";
import type { SessionService } from "../sessions/session-service.ts";
import type { CachedSession } from "./session-cache.ts";

interface AnsweredSession {
  readonly key: SessionKey;
  readonly cached: CachedSession | undefined;
  readonly sessionService: SessionService;
}

/**
 * The invocation whose call the message answers: an answer goes on with it. Undefined when the message answers no call that the session
 * knows. Reads the store only for an answer, and only what the cache lacks.
 */
export async function answeredInvocation(
  message: Content | undefined,
  session: AnsweredSession,
): Promise<string | undefined> {
  const callIds = new Set<string>();
  for (const { functionResponse } of message?.parts ?? []) {
    if (functionResponse?.id !== undefined) callIds.add(functionResponse.id);
  }
  if (callIds.size === 0) return undefined;
  const isAnswered = (event: Event): boolean =>
    functionCalls(event).some(({ id }) => id !== undefined && callIds.has(id));
  return (
    session.cached?.session.events.findLast(isAnswered)?.invocationId ??
    (await searchStore(session, callIds, isAnswered))
  );
}

async function searchStore(
  { key, cached, sessionService }: AnsweredSession,
  callIds: ReadonlySet<string>,
  isAnswered: (event: Event) => boolean,
): Promise<string | undefined> {
  let found: string | undefined;
  let pageToken: string | undefined;
  try {
    do {
      const page = await sessionService.listEvents({
        ...key,
        ...(cached !== undefined && { afterRevision: cached.session.revision }),
        ...(pageToken !== undefined && { pageToken }),
      });
      for (const record of page.events) {
        // Only events that name one of the calls are parsed.
        if (mayName(record.json, callIds) && isAnswered(fromEventRecord(record))) found = record.invocationId;
      }
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
  } catch (error) {
    // Whether the run creates its session is for the journal to say.
    if (!(error instanceof PlatformError && error.reason === "SESSION_NOT_FOUND")) throw error;
  }
  return found;
}

function mayName(json: string, callIds: ReadonlySet<string>): boolean {
  for (const id of callIds) if (json.includes(JSON.stringify(id))) return true;
  return false;
}
