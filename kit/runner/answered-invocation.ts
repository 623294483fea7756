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
 * The invocation whose calls the message answers: an answer goes on with it. Undefined when the message answers no call that the session
 * knows. Reads the store only for an answer, and only what the cache lacks. Throws `INVALID_MESSAGE` for answers to several invocations.
 */
export async function answeredInvocation(
  message: Content | undefined,
  session: AnsweredSession,
): Promise<string | undefined> {
  const open = new Set<string>();
  for (const { functionResponse } of message?.parts ?? []) {
    if (functionResponse?.id !== undefined) open.add(functionResponse.id);
  }
  if (open.size === 0) return undefined;
  const found = new Set<string>();
  const events = session.cached?.session.events ?? [];
  for (let index = events.length - 1; index >= 0 && open.size > 0; index -= 1) {
    const event = events[index];
    if (event !== undefined) take(event, open, found);
  }
  if (open.size > 0) await searchStore(session, open, found);
  if (found.size > 1) throw severalInvocations(found.size);
  const [invocationId] = found;
  return invocationId;
}

/** Takes note of the invocation when the event made one of the calls. */
function take(event: Event, open: Set<string>, found: Set<string>): void {
  for (const { id } of functionCalls(event)) if (id !== undefined && open.delete(id)) found.add(event.invocationId);
}

async function searchStore(
  { key, cached, sessionService }: AnsweredSession,
  open: Set<string>,
  found: Set<string>,
): Promise<void> {
  // Pages go forward and the newest call of an id counts, so a call that is found later takes the place of an earlier one.
  const invocations = new Map<string, string>();
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
        if (!mayName(record.json, open)) continue;
        for (const { id } of functionCalls(fromEventRecord(record)))
          if (id !== undefined && open.has(id)) invocations.set(id, record.invocationId);
      }
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
  } catch (error) {
    // Whether the run creates its session is for the journal to say.
    if (!(error instanceof PlatformError && error.reason === "SESSION_NOT_FOUND")) throw error;
  }
  for (const invocationId of invocations.values()) found.add(invocationId);
}

function mayName(json: string, callIds: ReadonlySet<string>): boolean {
  for (const id of callIds) if (json.includes(JSON.stringify(id))) return true;
  return false;
}

function severalInvocations(count: number): PlatformError {
  return new PlatformError(
    "INVALID_MESSAGE",
    `newMessage answers calls of ${count} invocations: send the answers to each in a message of its own.`,
    { details: { field: "newMessage" } },
  );
}
