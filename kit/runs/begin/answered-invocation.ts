import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, FunctionCall } from "#kit/events/content.ts";
import { toPastEvent } from "#kit/events/event-record.ts";
import { type CachedSession, isBounded } from "#kit/runs/base/session-cache.ts";
import { allPages } from "#kit/sessions/all-pages.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ListEventsRequest, SessionService } from "#kit/sessions/session-service.ts";
import { CallSearch } from "./call-search.ts";
import { checkAnswers } from "./check-answers.ts";

interface AnsweredSession {
  readonly key: SessionKey;
  readonly cached: CachedSession | undefined;
  readonly sessionService: SessionService;
  /** Whether the run creates the session if there is none. */
  readonly createsSession?: boolean | undefined;
}

/** The invocation and the calls that a message answers. */
export interface AnsweredInvocation {
  /** Undefined if the message answers no call. */
  readonly id: string | undefined;
  /** The calls of the session that the message answers, by their ids. */
  readonly calls: ReadonlyMap<string, FunctionCall>;
}

/**
 * Finds the invocation whose calls the message answers: an answer continues that invocation. Reads the store only for an
 * answer, and only events that the cache lacks. Throws `FUNCTION_CALL_UNKNOWN` for an answer to a call that the session
 * does not have, and `INVALID_MESSAGE` for answers to several invocations or under a wrong name.
 */
export async function answeredInvocation(
  message: Content | undefined,
  session: AnsweredSession,
): Promise<AnsweredInvocation> {
  const wanted = new Set<string>();
  for (const { functionResponse } of message?.parts ?? [])
    if (functionResponse?.id !== undefined) wanted.add(functionResponse.id);
  if (message === undefined || wanted.size === 0) return { id: undefined, calls: new Map() };
  const search = await searchSession(session, wanted);
  const calls = new Map([...(search?.found ?? [])].map(([id, { call }]) => [id, call]));
  if (search !== undefined) checkAnswers(message, calls);
  const invocations = new Set([...(search?.found.values() ?? [])].map(({ invocationId }) => invocationId));
  if (invocations.size > 1) throw severalInvocations(invocations.size);
  const [id] = invocations;
  return { id, calls };
}

/** Undefined if there is no session, and the journal has to report that. */
async function searchSession(
  { key, cached, sessionService, createsSession }: AnsweredSession,
  wanted: ReadonlySet<string>,
): Promise<CallSearch | undefined> {
  const search = new CallSearch(wanted);
  for (const event of cached?.session.events ?? []) search.take(event);
  if (search.isComplete) return search;
  const lacking = cached === undefined ? { fromHistoryStart: true } : { afterRevision: cached.session.revision };
  try {
    const newestRead = await readEvents(sessionService, { ...key, ...lacking }, search);
    // A history start includes the calls that wait for an answer. Other calls may have been left out.
    const isBoundedRead = cached === undefined ? newestRead.isBounded : isBounded(cached);
    if (search.isComplete || !isBoundedRead) return search;
    const whole = new CallSearch(wanted);
    await readEvents(sessionService, key, whole);
    return whole;
  } catch (error) {
    if (!(error instanceof PlatformError && error.reason === "SESSION_NOT_FOUND")) throw error;
    // The journal decides whether the run creates its session.
    return createsSession === true ? search : undefined;
  }
}

/** Passes the events to the search, and returns whether earlier ones were left out. */
async function readEvents(
  sessions: SessionService,
  request: ListEventsRequest,
  search: CallSearch,
): Promise<{ readonly isBounded: boolean }> {
  let count = 0;
  let newest = 0;
  for await (const { events } of allPages((place) => sessions.listEventRecords({ ...request, ...place }))) {
    // Only events that name one of the calls are parsed, and rewinds.
    for (const record of events) search.take(search.mayConcern(record.json) ? toPastEvent(record) : record);
    count += events.length;
    newest = events.at(-1)?.sequence ?? newest;
  }
  return { isBounded: count < newest };
}

function severalInvocations(count: number): PlatformError {
  return new PlatformError(
    "INVALID_MESSAGE",
    `newMessage answers calls of ${count} invocations: send the answers to each in a message of its own.`,
    { details: { field: "newMessage" } },
  );
}
