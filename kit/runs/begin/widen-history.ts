import { toPastEvent } from "#kit/events/event-record.ts";
import { numbered, opensTurn, withoutRewound } from "#kit/history/fold-history.ts";
import { type CachedSession, isBounded } from "#kit/runs/base/session-cache.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { continuesInvocation } from "./choose-turn.ts";

/**
 * The first sequence whose event the run needs, with all after it. Events that a history start leaves out are needed
 * only by runs that continue a turn which began among them.
 */
export function firstNeeded(record: RunRecord, cached: CachedSession): number {
  if (!isBounded(cached)) return 1;
  const { from } = cached.history.historyStart;
  if (cached.lacksRewound) return 1;
  if (!continuesInvocation(record.request)) return record.attempts > 1 ? Math.min(from, record.baseRevision + 1) : from;
  const opening = withoutRewound(numbered(cached.history.slice())).findLast(
    ({ event }) => event.invocationId === record.invocationId && opensTurn(event),
  );
  return Math.min(from, opening?.sequence ?? 1);
}

/**
 * Loads the events from a sequence on that were left out when the session was read. Call it at the start of a run,
 * before anything reads the events.
 */
export async function widenHistory(cached: CachedSession, sessions: SessionService, from = 1): Promise<void> {
  const { session, history } = cached;
  const { earlier, from: first } = history.historyStart;
  if (from >= first) return;
  const { events } = await sessions.listEventRecords({
    ...sessionKey(session),
    afterRevision: from - 1,
    pageSize: first - from,
  });
  const before = earlier.filter((sequence) => sequence < from);
  session.events.splice(before.length, earlier.length - before.length, ...events.map(toPastEvent));
  for (const { json } of events) cached.size += json.length;
  history.restart({ from, earlier: before });
  // A writer that lacked events has stored no bound.
  if (cached.lacksRewound) cached.needsHistoryStart = true;
  cached.lacksRewound = false;
}
