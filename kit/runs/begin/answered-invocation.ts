import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { type CachedSession, isBounded } from "#kit/runs/base/session-cache.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ListEventsRequest, SessionService } from "#kit/sessions/session-service.ts";

interface AnsweredSession {
  readonly key: SessionKey;
  readonly cached: CachedSession | undefined;
  readonly sessionService: SessionService;
}

/**
 * Finds the invocation whose calls the message answers: an answer continues that invocation. Returns undefined if the
 * message answers no call of the session. Reads the store only for an answer, and only events that the cache lacks.
 * Throws `INVALID_MESSAGE` for answers to several invocations.
 */
export async function answeredInvocation(
  message: Content | undefined,
  session: AnsweredSession,
): Promise<string | undefined> {
  const open = new Set<string>();
  for (const { functionResponse } of message?.parts ?? []) {
    if (functionResponse?.id !== undefined) open.add(functionResponse.id);
  }
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

/** Adds the event's invocation to `found` if the event made one of the calls. */
function take(event: Event, open: Set<string>, found: Set<string>): void {
  for (const { id } of functionCalls(event)) if (id !== undefined && open.delete(id)) found.add(event.invocationId);
}

async function searchStore(
  { key, cached, sessionService }: AnsweredSession,
  open: ReadonlySet<string>,
  found: Set<string>,
): Promise<void> {
  const lacking = cached === undefined ? { fromLoadBound: true } : { afterRevision: cached.session.revision };
  try {
    let calls = await findCalls(sessionService, { ...key, ...lacking }, open);
    // A load bound includes the calls that wait for an answer. Other calls may have been left out.
    const isBoundedRead = cached === undefined ? calls.isBounded : isBounded(cached);
    if (isBoundedRead && calls.invocations.size < open.size) calls = await findCalls(sessionService, key, open);
    for (const invocationId of calls.invocations.values()) found.add(invocationId);
  } catch (error) {
    // The journal decides whether the run creates its session.
    if (!(error instanceof PlatformError && error.reason === "SESSION_NOT_FOUND")) throw error;
  }
}

interface FoundCalls {
  /** By the id of the call. */
  readonly invocations: ReadonlyMap<string, string>;
  /** Whether earlier events were left out. */
  readonly isBounded: boolean;
}

/** Pages are read in order and the newest call of an id is used, so a later call replaces an earlier one. */
async function findCalls(
  sessions: SessionService,
  request: ListEventsRequest,
  open: ReadonlySet<string>,
): Promise<FoundCalls> {
  const invocations = new Map<string, string>();
  let count = 0;
  let newest = 0;
  for await (const { events } of allPages((place) => sessions.listEvents({ ...request, ...place }))) {
    for (const record of events) {
      // Only events that name one of the calls are parsed.
      if (!mayName(record.json, open)) continue;
      for (const { id } of functionCalls(fromEventRecord(record)))
        if (id !== undefined && open.has(id)) invocations.set(id, record.invocationId);
    }
    count += events.length;
    newest = events.at(-1)?.sequence ?? newest;
  }
  return { invocations, isBounded: count < newest };
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
