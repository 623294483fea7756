import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, FunctionCall } from "#kit/events/content.ts";
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

/** The invocation and the calls that a message answers. */
export interface AnsweredInvocation {
  /** Undefined if the message answers no call of the session. */
  readonly id: string | undefined;
  /** The calls of the session that the message answers, by their ids. */
  readonly calls: ReadonlyMap<string, FunctionCall>;
}

/**
 * Finds the invocation whose calls the message answers: an answer continues that invocation. Reads the store only for an
 * answer, and only events that the cache lacks. Throws `INVALID_MESSAGE` for answers to several invocations.
 */
export async function answeredInvocation(
  message: Content | undefined,
  session: AnsweredSession,
): Promise<AnsweredInvocation> {
  const open = new Set<string>();
  for (const { functionResponse } of message?.parts ?? []) {
    if (functionResponse?.id !== undefined) open.add(functionResponse.id);
  }
  const found: FoundCalls = new Map();
  const events = session.cached?.session.events ?? [];
  for (let index = events.length - 1; index >= 0 && open.size > 0; index -= 1) {
    const event = events[index];
    if (event !== undefined) take(event, open, found);
  }
  if (open.size > 0) await searchStore(session, open, found);
  const invocations = new Set([...found.values()].map(({ invocationId }) => invocationId));
  if (invocations.size > 1) throw severalInvocations(invocations.size);
  const [id] = invocations;
  return { id, calls: new Map([...found].map(([callId, { call }]) => [callId, call])) };
}

/** Calls by their ids, with their invocations. */
type FoundCalls = Map<string, { readonly invocationId: string; readonly call: FunctionCall }>;

/** Adds the event's calls to `found` that are open. */
function take(event: Event, open: Set<string>, found: FoundCalls): void {
  for (const call of functionCalls(event))
    if (call.id !== undefined && open.delete(call.id)) found.set(call.id, { invocationId: event.invocationId, call });
}

async function searchStore(
  { key, cached, sessionService }: AnsweredSession,
  open: ReadonlySet<string>,
  found: FoundCalls,
): Promise<void> {
  const lacking = cached === undefined ? { fromLoadBound: true } : { afterRevision: cached.session.revision };
  try {
    let calls = await findCalls(sessionService, { ...key, ...lacking }, open);
    // A load bound includes the calls that wait for an answer. Other calls may have been left out.
    const isBoundedRead = cached === undefined ? calls.isBounded : isBounded(cached);
    if (isBoundedRead && calls.found.size < open.size) calls = await findCalls(sessionService, key, open);
    for (const [id, call] of calls.found) found.set(id, call);
  } catch (error) {
    // The journal decides whether the run creates its session.
    if (!(error instanceof PlatformError && error.reason === "SESSION_NOT_FOUND")) throw error;
  }
}

interface ReadCalls {
  readonly found: FoundCalls;
  /** Whether earlier events were left out. */
  readonly isBounded: boolean;
}

/** Pages are read in order and the newest call of an id is used, so a later call replaces an earlier one. */
async function findCalls(
  sessions: SessionService,
  request: ListEventsRequest,
  open: ReadonlySet<string>,
): Promise<ReadCalls> {
  const found: FoundCalls = new Map();
  let count = 0;
  let newest = 0;
  for await (const { events } of allPages((place) => sessions.listEvents({ ...request, ...place }))) {
    for (const record of events) {
      // Only events that name one of the calls are parsed.
      if (!mayName(record.json, open)) continue;
      for (const call of functionCalls(fromEventRecord(record)))
        if (call.id !== undefined && open.has(call.id)) found.set(call.id, { invocationId: record.invocationId, call });
    }
    count += events.length;
    newest = events.at(-1)?.sequence ?? newest;
  }
  return { found, isBounded: count < newest };
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
