import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { Event } from "#kit/events/event.ts";
import { createEvent, USER_AUTHOR } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { SessionSnapshot } from "#kit/sessions/run-journal.ts";
import type { RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { RunnerDeps } from "../deps.ts";

const INTERRUPTED = {
  status: "interrupted",
  reason: "RUN_INTERRUPTED",
  message: "The server was stopped before this answer was complete. Send your message again.",
} as const;
const OPEN_STATUSES = ["running", "pending"] as const;
/** The sessions with open runs that a start looks for; the reaper finds the others. */
const MAX_SESSIONS = 100_000;

/** The end to record for a run that was not executed to its end. */
interface Closing {
  readonly status: TerminalRunStatus;
  readonly reason: ErrorReason;
  readonly message: string;
}

type CloserDeps = Pick<RunnerDeps, "runJournal" | "clock" | "ids" | "logger" | "holder" | "config">;

/**
 * Ends the runs that an earlier process with the same name left open, with an event that reports it, so that their
 * sessions are free. Must be called before the first run is accepted, by the only process that uses the stores. Returns
 * their number.
 */
export async function closeAbandonedRuns(deps: CloserDeps): Promise<number> {
  let closed = 0;
  // Oldest first: a queued run can begin only after those ahead of it have ended.
  for await (const run of openRuns(deps)) {
    await closeRun(deps, run, INTERRUPTED);
    closed += 1;
  }
  if (closed > 0) deps.logger.warn({ runs: closed }, "closed interrupted runs");
  return closed;
}

/**
 * Recovers the runs that an earlier process with the same name left open, before the first run is accepted. Their
 * leases are in this process's name, so recovery need not wait for them to expire.
 */
export async function resumeAbandonedRuns(
  deps: CloserDeps,
  runner: { readonly recover: (run: RunRecord) => Promise<unknown> },
): Promise<void> {
  for await (const run of openRuns(deps)) await runner.recover(run);
}

/** Runs of all tenants that have not ended: session by session, in the order in which they are to begin. */
async function* openRuns({ runJournal, holder }: CloserDeps): AsyncGenerator<RunRecord> {
  const abandoned = await runJournal.listAbandoned({ minAgeMs: 0, holder, limit: MAX_SESSIONS });
  for (const { session } of abandoned) {
    const request = { ...inTenant(session.tenantId), session, statuses: OPEN_STATUSES };
    yield* (await runJournal.list(request)).runs.toReversed();
  }
}

/** Ends a run without its app, and stores an event that reports it. Never throws. */
export async function closeRun(deps: CloserDeps, run: RunRecord, closing: Closing): Promise<void> {
  const { runJournal, holder, config, logger } = deps;
  const { runId, session, invocationId, request, policy } = run;
  try {
    const begun = await runJournal.begin({
      runId,
      session,
      invocationId,
      request,
      policy,
      holder,
      leaseMs: config.LEASE_MS,
      // Only the run's own events are needed.
      haveRevision: run.baseRevision,
    });
    if (begun.kind !== "started") return;
    const { code, reason, message } = new PlatformError(closing.reason, closing.message);
    await runJournal.finish({
      lease: begun.lease,
      afterRevision: begun.snapshot.revision,
      events: closingEvents(deps, { run, closing, snapshot: begun.snapshot }).map(toEventRecord),
      status: closing.status,
      error: { code, reason, message },
    });
  } catch (error) {
    // One damaged session must not keep the server from starting.
    logger.error(
      { error, runId, sessionId: session.id, ...inTenant(session.tenantId) },
      "an interrupted run could not be closed",
    );
  }
}

/** The events that the turn lacks: the message, if it was not stored yet, and the error event of the interruption. */
function closingEvents(
  { clock, ids }: CloserDeps,
  {
    run,
    closing,
    snapshot,
  }: { readonly run: RunRecord; readonly closing: Closing; readonly snapshot: SessionSnapshot },
): readonly Event[] {
  const { invocationId, request, session } = run;
  const own = snapshot.events.filter((event) => event.invocationId === invocationId);
  const base = { invocationId, timestamp: clock.now() };
  const end = createEvent({
    ...base,
    id: ids.next(),
    author: own.findLast(({ author }) => author !== USER_AUTHOR)?.author ?? session.appName,
    errorCode: closing.reason,
    errorMessage: closing.message,
  });
  if (request.newMessage === undefined || own.some(({ author }) => author === USER_AUTHOR)) return [end];
  const content = { ...request.newMessage, role: request.newMessage.role ?? "user" };
  return [createEvent({ ...base, id: ids.next(), author: USER_AUTHOR, content }), end];
}
