import type { WebhookEventType } from "#kit/core/app-settings/app-webhooks.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import { isTerminal, type RunRecord, type TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type EvalJob, isEnded } from "#ports/evaluation-jobs/eval-job.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import type { WebhookEvent } from "#ports/webhooks/webhook.ts";
import type { WatchedRun } from "#ports/webhooks/webhook-store.ts";

/** How a run's end is reported. Runs that were interrupted were cancelled by another run. */
const TYPE_OF_END: Readonly<Record<TerminalRunStatus, WebhookEventType>> = {
  succeeded: "run.succeeded",
  failed: "run.failed",
  timed_out: "run.failed",
  cancelled: "run.cancelled",
  interrupted: "run.cancelled",
  awaiting_input: "run.awaiting_input",
};

/** A run that has no record after so long never began. */
const NEVER_BEGAN_MS = 10 * 60_000;
/** How often a run is looked at: more rarely the longer it takes. */
const MIN_LOOK_MS = 1_000;
const MAX_LOOK_MS = 60_000;
const WAITED_PART = 8;

export interface RunReport {
  /** The first that happened comes first. */
  readonly events: readonly (WebhookEvent & { readonly type: WebhookEventType })[];
  /** The runs that have not ended. */
  readonly left: readonly WatchedRun[];
  /** When they are looked at again. */
  readonly dueMs: number;
}

export interface RunSources {
  readonly runJournal: Pick<RunJournal, "get">;
  readonly evalJobs: Pick<EvalJobs, "get">;
}

/** Reports what has happened to these runs of one session since they were looked at. */
export async function reportRuns(
  sources: RunSources,
  watched: readonly WatchedRun[],
  { session, nowMs }: { readonly session: SessionKey; readonly nowMs: number },
): Promise<RunReport> {
  const [runs, jobs] = [watched.filter(isRun), watched.filter((one) => !isRun(one))];
  const reports = [await ofRuns(sources, runs, { session, nowMs }), await ofJobs(sources, jobs, { session, nowMs })];
  const left = reports.flatMap((one) => one.left);
  const sinceMs = Math.max(0, ...left.map((run) => run.sinceMs));
  const events = reports.flatMap((one) => one.events);
  return { events, left, dueMs: nowMs + Math.min(Math.max((nowMs - sinceMs) / WAITED_PART, MIN_LOOK_MS), MAX_LOOK_MS) };
}

function isRun({ kind }: WatchedRun): boolean {
  return kind === undefined;
}

type Found = Pick<RunReport, "events" | "left">;
interface Place {
  readonly session: SessionKey;
  readonly nowMs: number;
}

/** A job that was never started is forgotten, as a run is. */
async function ofJobs(
  { evalJobs }: RunSources,
  jobs: readonly WatchedRun[],
  { session, nowMs }: Place,
): Promise<Found> {
  const events: RunReport["events"][number][] = [];
  const left: WatchedRun[] = [];
  for (const watched of jobs) {
    const job = await evalJobs.get({ ...inTenant(session.tenantId), jobId: watched.runId });
    if (job !== undefined && isEnded(job)) events.push(endOf(job, session));
    else if (job !== undefined || nowMs - watched.sinceMs < NEVER_BEGAN_MS) left.push(watched);
  }
  return { events, left };
}

async function ofRuns(
  { runJournal }: RunSources,
  runs: readonly WatchedRun[],
  { session, nowMs }: Place,
): Promise<Found> {
  const read = (run: WatchedRun) => runJournal.get(run.runId, session.tenantId);
  const first = await Promise.all(runs.map(read));
  // One that was read too early would be reported after a run that ended later: those that were open are read again.
  const records = await Promise.all(
    first.map((record, index) => {
      const run = runs[index];
      return run === undefined || (record !== undefined && isTerminal(record.status)) ? record : read(run);
    }),
  );
  const events: RunReport["events"][number][] = [];
  const left: WatchedRun[] = [];
  for (const [index, run] of runs.entries()) {
    const record = records[index];
    if (record === undefined) {
      if (nowMs - run.sinceMs < NEVER_BEGAN_MS) left.push(run);
      continue;
    }
    const begun = record.startedTime !== undefined || isTerminal(record.status);
    if (begun && run.isStarted !== true) events.push(eventOf(record, "run.started", record.startedTime));
    if (isTerminal(record.status)) events.push(eventOf(record, TYPE_OF_END[record.status], record.finishedTime));
    else left.push({ ...run, ...(begun && { isStarted: true }) });
  }
  events.sort((one, other) => one.timeMs - other.timeMs);
  return { events, left };
}

function endOf(job: EvalJob, session: SessionKey): RunReport["events"][number] {
  const { jobId, appName, evalSetId, status, counts, createdTime, startedTime, endedTime = createdTime, error } = job;
  const userId = session.userId === "" ? undefined : session.userId;
  const { total, passed, failed } = counts;
  return {
    type: "evaluation.finished",
    timeMs: endedTime,
    session,
    about: `evaluation.finished/${jobId}`,
    data: {
      ...{ jobId, appName, userId, evalSetId, status, counts: { total, passed, failed } },
      ...{ createdTime, startedTime, finishedTime: endedTime, error: error && { reason: error.reason } },
    },
  };
}

function eventOf(record: RunRecord, type: WebhookEventType, timeMs = record.createdTime): RunReport["events"][number] {
  const { runId, session, invocationId, status, createdTime, startedTime, finishedTime, usage, error } = record;
  const named = { runId, appName: session.appName, userId: session.userId, sessionId: session.id, invocationId };
  const isEnd = type !== "run.started";
  const ended = { status, finishedTime, usage, error: error && { code: error.code, reason: error.reason } };
  return {
    type,
    timeMs,
    session: { ...inTenant(tenantOf(session)), ...sessionNames(session) },
    about: `${type}/${runId}`,
    data: { ...named, createdTime, startedTime, ...(isEnd ? ended : { status: "running" }) },
  };
}

function sessionNames({ appName, userId, id }: RunRecord["session"]) {
  return { appName, userId, id };
}
