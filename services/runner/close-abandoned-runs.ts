import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { createEvent, USER_AUTHOR } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { SessionSnapshot } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RunnerDeps } from "./deps.ts";

const MESSAGE = "The server was stopped before this answer was complete. Send your message again.";
const PAGE_SIZE = 100;

type CloserDeps = Pick<RunnerDeps, "runJournal" | "clock" | "ids" | "logger" | "holder" | "config">;

/**
 * Ends the runs that an earlier process of this name left behind, so that their sessions are free and say what happened. To be
 * called before the first run is accepted, by the only process that uses the stores. Gives how many there were.
 */
export async function closeAbandonedRuns(deps: CloserDeps): Promise<number> {
  const abandoned = await listAbandoned(deps);
  // Oldest first: a run in line can only begin once those ahead have ended.
  for (const run of abandoned.reverse()) await closeRun(deps, run);
  if (abandoned.length > 0) deps.logger.warn({ runs: abandoned.length }, "closed runs that were cut off");
  return abandoned.length;
}

async function listAbandoned({ runJournal }: CloserDeps): Promise<RunRecord[]> {
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

async function closeRun(deps: CloserDeps, run: RunRecord): Promise<void> {
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
    const { code, reason, message } = new PlatformError("RUN_INTERRUPTED", MESSAGE);
    await runJournal.finish({
      lease: begun.lease,
      afterRevision: begun.snapshot.revision,
      events: closingEvents(deps, run, begun.snapshot).map(toEventRecord),
      status: "interrupted",
      error: { code, reason, message },
    });
  } catch (error) {
    // One damaged session must not keep the server from starting.
    logger.error({ error, runId, sessionId: session.id }, "a run that was cut off could not be closed");
  }
}

/** What is missing of the turn: the message, when it had not been stored yet, and that it was cut off. */
function closingEvents({ clock, ids }: CloserDeps, run: RunRecord, { events }: SessionSnapshot): readonly Event[] {
  const { invocationId, request, session } = run;
  const own = events.filter((event) => event.invocationId === invocationId);
  const base = { invocationId, timestamp: clock.now() };
  const interrupted = createEvent({
    ...base,
    id: ids.next(),
    author: own.findLast(({ author }) => author !== USER_AUTHOR)?.author ?? session.appName,
    errorCode: "RUN_INTERRUPTED",
    errorMessage: MESSAGE,
  });
  if (request.newMessage === undefined || own.some(({ author }) => author === USER_AUTHOR)) return [interrupted];
  const content = { role: "user", ...request.newMessage };
  return [createEvent({ ...base, id: ids.next(), author: USER_AUTHOR, content }), interrupted];
}
