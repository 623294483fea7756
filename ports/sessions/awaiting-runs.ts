import { USER_AUTHOR } from "#kit/events/event.ts";
import type { EventRecord } from "#kit/events/event-record.ts";
import type { RunRecord, RunStatus } from "#kit/sessions/run-record.ts";

/**
 * Decides which runs still wait for an answer. Like those in `run-rules.ts`, the functions are pure: a session's head
 * lists the waiting runs, and the commit that stores the answer removes them from the list, so that a turn without
 * questions costs one comparison.
 */

/** A run that ended as `awaiting_input` and has not been answered. */
export interface AwaitingRun {
  readonly runId: string;
  readonly invocationId: string;
}

/**
 * How many waiting runs of one session its head lists. Older ones stay `awaiting_input` and are never marked as
 * answered.
 */
export const MAX_AWAITING_RUNS = 100;

/**
 * The runs that these events of `run` answer. A run answers the earlier runs of its invocation once its user's event is
 * stored. An answer that was queued and cancelled, or that failed before its message was stored, answers nothing; what
 * happens to the run afterwards has no effect.
 */
export function answeredByEvents(
  awaiting: readonly AwaitingRun[],
  { runId, invocationId }: Pick<RunRecord, "runId" | "invocationId">,
  events: readonly Pick<EventRecord, "author" | "invocationId">[],
): readonly AwaitingRun[] {
  if (awaiting.length === 0) return awaiting;
  const isAnswer = events.some((event) => event.author === USER_AUTHOR && event.invocationId === invocationId);
  return isAnswer ? earlierOf(awaiting, runId, invocationId) : [];
}

/**
 * The waiting runs that `run` replaces when it ends: of one invocation only the newest run waits, and none once a later
 * one has succeeded.
 */
export function answeredByEnd(
  awaiting: readonly AwaitingRun[],
  { runId, invocationId, status }: Pick<RunRecord, "runId" | "invocationId" | "status">,
): readonly AwaitingRun[] {
  if (awaiting.length === 0 || (status !== "awaiting_input" && status !== "succeeded")) return [];
  return earlierOf(awaiting, runId, invocationId);
}

/** The runs that wait after `run` has ended. */
export function awaitingAfter(awaiting: readonly AwaitingRun[], run: RunRecord): readonly AwaitingRun[] {
  if (run.status !== "awaiting_input") return awaiting;
  return [...awaiting, { runId: run.runId, invocationId: run.invocationId }].slice(-MAX_AWAITING_RUNS);
}

export function withoutRuns(awaiting: readonly AwaitingRun[], removed: readonly AwaitingRun[]): readonly AwaitingRun[] {
  const ids = new Set(removed.map(({ runId }) => runId));
  return awaiting.filter(({ runId }) => !ids.has(runId));
}

/**
 * Whether a list of runs with the given statuses contains the run. A run that was answered does not wait, so no status
 * matches it.
 */
export function isListed({ status, answeredBy }: RunRecord, statuses: readonly RunStatus[] | undefined): boolean {
  return statuses === undefined || (answeredBy === undefined && statuses.includes(status));
}

function earlierOf(awaiting: readonly AwaitingRun[], runId: string, invocationId: string): readonly AwaitingRun[] {
  return awaiting.filter((run) => run.invocationId === invocationId && run.runId !== runId);
}
