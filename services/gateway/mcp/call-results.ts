import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { newestRun } from "../runs/newest-run.ts";
import { readWaitingCalls } from "../runs/waiting-calls.ts";
import { runFailure } from "../streams/relay-run.ts";
import { questionsOf, toInputRequests } from "./input-requests.ts";
import { type RunAnswer, readAnswer } from "./run-answer.ts";

const POLL_INTERVAL_MS = 1000;

/** The result of a call whose run has ended. A failure of the agent is a result too, which a model can read. */
export function toCallResult({ end, text }: RunAnswer, { runId, session }: RunRecord): JsonObject {
  const failure = runFailure(end);
  return present({
    content: [{ type: "text", text: failure === undefined ? text : failure.message }],
    isError: failure && true,
    _meta: { "fairlead/runId": runId, "fairlead/sessionId": session.id },
  });
}

/** A problem of a call that a model can correct. */
export function toCallError(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

/** The task without its result and its questions; `newest` continues the task's first run. */
export function toTask(first: RunRecord, newest: RunRecord): JsonObject {
  return {
    taskId: first.runId,
    status: TASK_STATUS[newest.status],
    createdAt: toIsoTime(first.createdTime),
    lastUpdatedAt: toIsoTime(newest.finishedTime ?? newest.startedTime ?? newest.createdTime),
    // It is kept as long as its session.
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

/** A run that failed has a result that reports it: the status `failed` is for errors of the protocol. */
const TASK_STATUS = {
  pending: "working",
  running: "working",
  awaiting_input: "input_required",
  succeeded: "completed",
  failed: "completed",
  interrupted: "completed",
  timed_out: "completed",
  cancelled: "cancelled",
} as const satisfies Record<RunRecord["status"], string>;

/** The task with its result, or with what it asks for. Any replica can answer it: the task is the run. */
export async function toDetailedTask(deps: RouteDeps, first: RunRecord): Promise<JsonObject> {
  const newest = await newestRun(deps, first);
  const task = toTask(first, newest);
  if (task["status"] === "input_required") {
    const questions = questionsOf(await readWaitingCalls(deps.sessionService, newest));
    if (questions.length > 0) return { ...task, inputRequests: toInputRequests(questions) };
  } else if (task["status"] !== "completed") return task;
  const answer = await readAnswer(deps, newest, { controller: new AbortController() });
  return answer === undefined ? task : { ...task, status: "completed", result: toCallResult(answer, newest) };
}
