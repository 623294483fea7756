import type { FastifyReply } from "fastify";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { inThisCallScope } from "#shared/security/call-scope.ts";
import { whenCallerEnds } from "../access/caller-end.ts";
import type { RouteDeps } from "../deps.ts";
import { leaveRun } from "../runs/leave-run.ts";
import { answersOf } from "../streams/answers-of.ts";
import { relayRun } from "../streams/relay-run.ts";
import type { A2aCall } from "./start-task.ts";

/** Waits until the run has ended, or its client has left. */
export async function awaitRun(deps: RouteDeps, { request, reply }: A2aCall, run: RunRecord): Promise<void> {
  const controller = new AbortController();
  endWithClient(deps, reply, run, controller);
  await relayRun(deps, {
    run,
    controller,
    answers: answersOf(deps, request),
    sink: { event: () => {}, flush: () => undefined },
  });
}

/** Aborts the controller when the client leaves; what then happens to the run is the app's policy. */
export function endWithClient(deps: RouteDeps, reply: FastifyReply, run: RunRecord, controller: AbortController): void {
  const leaveInScope = inThisCallScope(() => leaveRun(deps, run, undefined));
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
