import { TaskNotFoundError } from "@a2a-js/sdk/errors";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import { isIdentifier } from "#kit/names/identifiers.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { isContinuation } from "../runs/newest-run.ts";

/**
 * The first run of the task, which gives it its id. Throws TaskNotFound, also for a task of another caller or app, and
 * for a run that continues a task.
 */
export async function findTask(deps: RouteDeps, appName: string, taskId: string): Promise<RunRecord> {
  const run = isIdentifier(taskId) ? await deps.runJournal.get(taskId) : undefined;
  if (run === undefined || run.session.appName !== appName || isContinuation(run)) throw new TaskNotFoundError();
  return run;
}

/** The run after this one in its task; undefined while there is none. */
export async function nextRun({ runJournal }: RouteDeps, { answeredBy }: RunRecord): Promise<RunRecord | undefined> {
  if (answeredBy === undefined) return undefined;
  const next = await runJournal.get(answeredBy);
  if (next === undefined) throw new RunNotFoundError(answeredBy);
  return next;
}
