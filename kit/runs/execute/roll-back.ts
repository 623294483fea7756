import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { createRewindActions } from "#kit/runs/base/rewind-actions.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { widenHistory } from "#kit/runs/begin/widen-history.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";

/** How many of the session's newest runs are searched for the interrupted one; queued runs are among them. */
const RECENT_RUNS = 50;

/**
 * Rewinds the run that this one interrupted, as if its message had never been sent. Only if its events are the newest:
 * events after them may depend on them.
 */
export async function rollBack(run: StartedRun, context: InvocationContext): Promise<void> {
  const { cached, journal, record, services, sessionService, writer } = run;
  const { events } = cached.session;
  const newest = events.at(-1)?.invocationId;
  const { runs } = await journal.list({
    ...inTenant(record.session.tenantId),
    session: record.session,
    pageSize: RECENT_RUNS,
  });
  const ofNewest = runs.filter(({ invocationId, runId }) => invocationId === newest && runId !== record.runId);
  const [interrupted] = ofNewest;
  // An invocation of several runs waited for an answer in between: its first message is not that of the interrupted
  // run.
  if (
    newest === undefined ||
    interrupted === undefined ||
    ofNewest.length > 1 ||
    !wasInterruptedBy(record, interrupted)
  )
    return;
  await widenHistory(cached, sessionService);
  const files = { session: sessionKey(cached.session), artifactService: services.artifactService };
  const actions = await createRewindActions(events, newest, files);
  if (actions !== undefined) await writer.add(context.createEvent({ author: USER_AUTHOR, actions }), { emit: false });
}

/** Both times are the store's: the other run was active, and asked to end, when this one was recorded. */
function wasInterruptedBy({ createdTime }: RunRecord, other: RunRecord): boolean {
  return other.cancelRequested && other.finishedTime !== undefined && other.finishedTime >= createdTime;
}
