import type { FastifyReply } from "fastify";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import type { EvalJobChange } from "#ports/evaluation-jobs/eval-jobs.ts";
import { whenCallerEnds } from "../access/caller-end.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOf } from "./answers-of.ts";
import { errorFrame } from "./frames.ts";
import { SseStream } from "./sse.ts";

export interface EvaluationStreamCall {
  readonly job: EvalJob;
  /** The `sequence` of the last change that the reader has seen. */
  readonly afterSequence: number;
  /** A change as its frame has it. */
  readonly present: (change: EvalJobChange) => unknown;
}

/** Answers a request with the changes of an evaluation as server-sent events, until it ends or the client leaves. */
export async function streamEvaluation(
  deps: RouteDeps,
  reply: FastifyReply,
  { job: { jobId }, afterSequence, present }: EvaluationStreamCall,
): Promise<void> {
  const { config, logger, clock, evalJobs } = deps;
  const controller = new AbortController();
  const stream = new SseStream(reply, {
    answers: answersOf(deps, reply.request),
    heartbeatMs: config.SSE_HEARTBEAT_MS,
    stallMs: config.SSE_STALL_MS,
    headers: {},
    onGone: () => controller.abort(),
  });
  whenCallerEnds(reply, deps, () => {
    // Readers reconnect after a stream without an end, and then send new credentials.
    stream.end();
    controller.abort();
  });
  try {
    for await (const change of evalJobs.watch({ jobId, afterSequence }, controller.signal))
      await stream.write(changeFrame(change, present(change)));
  } catch (thrown) {
    if (controller.signal.aborted) return;
    const error = toPlatformError(thrown);
    if (error.httpStatus >= 500) logger.error({ jobId, error: thrown }, "stream of an evaluation failed");
    stream.endWith(errorFrame(error, clock.now()));
  }
  stream.end();
}

/** Readers continue after any frame: changes come in the order of their numbers. */
function changeFrame(change: EvalJobChange, shown: unknown): string {
  const { sequence } = change.kind === "job" ? change.job : change.case;
  return `data: ${JSON.stringify(shown)}\nevent: ${change.kind}\nid: ${sequence}\n\n`;
}
