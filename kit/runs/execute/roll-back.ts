import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { USER_AUTHOR } from "#kit/events/event.ts";
import { createRewindActions } from "#kit/runs/base/rewind-actions.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { widenHistory } from "#kit/runs/begin/widen-history.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";

/** Runs of a session that are looked at to find the one that was cut off: those in line besides the newest. */
const RECENT_RUNS = 50;

/**
 * Takes back the run that this one cut off, as if its message had never come. Only when its events are the newest: what
 * others have answered since stands on them.
 */
export async function rollBack(run: StartedRun, context: InvocationContext): Promise<void> {
  const { cached, journal, record, services, sessionService, writer } = run;
  const { events } = cached.session;
  const newest = events.at(-1)?.invocationId;
  const { runs } = await journal.list({ session: record.session, pageSize: RECENT_RUNS });
  const ofNewest = runs.filter(({ invocationId, runId }) => invocationId === newest && runId !== record.runId);
  const [cutOff] = ofNewest;
  // An invocation of several runs was waiting for an answer in between: its question was not asked by the run that was
  // cut off.
  if (newest === undefined || cutOff === undefined || ofNewest.length > 1 || !wasCutOffBy(record, cutOff)) return;
  await widenHistory(cached, sessionService);
  const files = { session: sessionKey(cached.session), artifactService: services.artifactService };
  const actions = await createRewindActions(events, newest, files);
  if (actions !== undefined) await writer.add(context.createEvent({ author: USER_AUTHOR, actions }), { emit: false });
}

/** Both times are the store's: the other run was under way, and asked to end, when this one was recorded. */
function wasCutOffBy({ createdTime }: RunRecord, other: RunRecord): boolean {
  return other.cancelRequested && other.finishedTime !== undefined && other.finishedTime >= createdTime;
}
