import type { FastifyReply } from "fastify";
import type { JsonObject } from "#kit/platform/json.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { inThisCallScope } from "#shared/security/call-scope.ts";
import { whenCallerEnds } from "../access/caller-end.ts";
import type { RouteDeps } from "../deps.ts";
import { leaveRun } from "../runs/leave-run.ts";
import { newestRun } from "../runs/newest-run.ts";
import { readWaitingCalls } from "../runs/waiting-calls.ts";
import { type AgentCall, startCall, stateOf } from "./agent-calls.ts";
import { toCallError, toCallResult, toTask } from "./call-results.ts";
import { questionsOf, toInputRequests } from "./input-requests.ts";
import type { McpMessage } from "./read-message.ts";
import { type RunAnswer, readAnswer } from "./run-answer.ts";

export interface ProgressSink {
  readonly onEvent: (number: number, author: string) => void;
}

/**
 * The result of `tools/call`: of the run, of the questions that it asks, or the task that it has become. Undefined if
 * the client has left; its run is then cancelled, as the stateless revision demands.
 */
export async function callAgent(
  deps: RouteDeps,
  call: AgentCall & { readonly message: McpMessage },
  progress?: ProgressSink,
): Promise<JsonObject | undefined> {
  const started = await startCall(deps, call);
  if (started.kind === "refused") return toCallError(started.problem);
  const { run } = started;
  const { message, reply } = call;
  const controller = new AbortController();
  endWithClient(deps, reply, { run, controller, isModern: message.isModern });
  const answering = readAnswer(deps, run, { controller, ...progress });
  const answer = message.hasTasks ? await soonEnough(answering, deps.config.MCP_TASK_AFTER_MS) : await answering;
  if (answer === "late") {
    controller.abort();
    const newest = (await deps.runJournal.get(run.runId)) ?? run;
    return { resultType: "task", ...toTask(run, await newestRun(deps, newest)) };
  }
  return answer && resultOf(deps, message, run, answer);
}

async function resultOf(
  { runJournal, sessionService }: RouteDeps,
  { canElicit }: McpMessage,
  run: RunRecord,
  answer: RunAnswer,
): Promise<JsonObject> {
  if (answer.end.status !== "awaiting_input") return toCallResult(answer, run);
  const calls = questionsOf(await readWaitingCalls(sessionService, (await runJournal.get(run.runId)) ?? run));
  if (calls.length === 0) return toCallResult(answer, run);
  if (canElicit)
    return { resultType: "input_required", inputRequests: toInputRequests(calls), requestState: stateOf(run) };
  const names = calls.map(({ name }) => name).join(", ");
  return toCallError(
    `The run ${run.runId} waits for a person's answer to ${names}, and this client cannot ask one. Answer it through the server's other interfaces.`,
  );
}

function endWithClient(
  deps: RouteDeps,
  reply: FastifyReply,
  {
    run,
    controller,
    isModern,
  }: { readonly run: RunRecord; readonly controller: AbortController; readonly isModern: boolean },
): void {
  // In older revisions a lost connection does not cancel the call: the app's policy applies.
  const leaveInScope = inThisCallScope(() => leaveRun(deps, run, isModern ? "cancel" : undefined));
  const leave = (): void => {
    if (reply.raw.writableFinished || controller.signal.aborted) return;
    controller.abort();
    leaveInScope();
  };
  reply.raw.once("close", leave);
  whenCallerEnds(reply, deps, () => reply.raw.destroy());
  // The client may have left while the run was being started.
  if (reply.raw.destroyed) leave();
}

/** Settles with the answer, or with "late" after the time. */
async function soonEnough<Answer>(answering: Promise<Answer>, afterMs: number): Promise<Answer | "late"> {
  const timer = new AbortController();
  const late = sleep(afterMs, timer.signal).then(
    () => "late" as const,
    () => "late" as const,
  );
  // A failure after the call has become a task is reported by the task.
  answering.catch(() => {});
  try {
    return await Promise.race([answering, late]);
  } finally {
    timer.abort();
  }
}
