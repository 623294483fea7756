import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { Event } from "#kit/events/event.ts";
import { createEvent, USER_AUTHOR } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { SessionSnapshot } from "#kit/sessions/run-journal.ts";
import type { RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { RunnerDeps } from "../deps.ts";

const CUT_OFF = {
  status: "interrupted",
  reason: "RUN_INTERRUPTED",
  message: "The server was stopped before this answer was complete. Send your message again.",
} as const;
const PAGE_SIZE = 100;

/** How a run is told to have ended that nobody executed to its end. */
interface Closing {
  readonly status: TerminalRunStatus;
  readonly reason: ErrorReason;
  readonly message: string;
}

type CloserDeps = Pick<RunnerDeps, "runJournal" | "clock" | "ids" | "logger" | "holder" | "config">;

/**
 * Ends the runs that an earlier process of this name left behind, so that their sessions are free and say what happened. To be
 * called before the first run is accepted, by the only process that uses the stores. Gives how many there were.
 */
export async function closeAbandonedRuns(deps: CloserDeps): Promise<number> {
  const abandoned = await listOpenRuns(deps);
  // Oldest first: a run in line can only begin once those ahead have ended.
  for (const run of abandoned.reverse()) await closeRun(deps, run, CUT_OFF);
  if (abandoned.length > 0) deps.logger.warn({ runs: abandoned.length }, "closed runs that were cut off");
  return abandoned.length;
}

/**
 * Takes up again what an earlier process of this name left behind, before the first run is accepted: its leases are this process's own, so
 * that nobody has to wait for their end.
 */
export async function resumeAbandonedRuns(
  deps: CloserDeps,
  runner: { readonly takeUp: (run: RunRecord) => Promise<unknown> },
): Promise<void> {
  const abandoned = await listOpenRuns(deps);
  for (const run of abandoned.reverse()) await runner.takeUp(run);
}

/** Runs that have not ended, newest first. */
async function listOpenRuns({ runJournal }: CloserDeps): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  let pageToken: string | undefined;
  do {
    const page = await runJournal.list({
      statuses: ["running", "pending"],
      pageSize: PAGE_SIZE,
      ...(pageToken !== undefined && { pageToken }),
    });
    found.push(...page.runs);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}

/** Ends a run without its app, with an event that says so. Never throws. */
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
      // Only the run's own events are of interest.
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
    logger.error({ error, runId, sessionId: session.id }, "a run that was cut off could not be closed");
  }
}

/** What is missing of the turn: the message, when it had not been stored yet, and that it was cut off. */
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
  const content = { role: "user", ...request.newMessage };
  return [createEvent({ ...base, id: ids.next(), author: USER_AUTHOR, content }), end];
}
