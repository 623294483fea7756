import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { allByIndex } from "#ports/evaluation-jobs/all-by-index.ts";
import { type EvalJob, isEnded } from "#ports/evaluation-jobs/eval-job.ts";
import type { GatewayDeps } from "../deps.ts";

/**
 * Waits until the evaluation has ended; then the results of its cases can be read, in the order of the set. Throws
 * `EVAL_JOB_CANCELLED`, or the reason why the platform could not run the cases.
 */
export async function awaitEvaluation(
  { evalJobs }: Pick<GatewayDeps, "evalJobs">,
  started: EvalJob,
  signal: AbortSignal,
): Promise<AsyncIterable<EvalCaseResult>> {
  const { status, error, jobId } = await ended(evalJobs, started, signal);
  if (status === "cancelled")
    throw new PlatformError("EVAL_JOB_CANCELLED", `Evaluation ${jobId} was cancelled.`, { details: { jobId } });
  if (status === "failed") throw new PlatformError(reasonOf(error?.reason), error?.message ?? "The evaluation failed.");
  return allResults(evalJobs, jobId);
}

/** Waits until the evaluation has ended, or the signal is aborted, and returns its job. */
export async function awaitEnd(
  { evalJobs }: Pick<GatewayDeps, "evalJobs">,
  job: EvalJob,
  signal: AbortSignal,
): Promise<EvalJob> {
  try {
    return await ended(evalJobs, job, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return (await evalJobs.get(job)) ?? job;
  }
}

async function ended(evalJobs: GatewayDeps["evalJobs"], started: EvalJob, signal: AbortSignal): Promise<EvalJob> {
  let job = started;
  if (isEnded(job)) return job;
  for await (const change of evalJobs.watch({ jobId: job.jobId, afterSequence: job.sequence }, signal))
    if (change.kind === "job") ({ job } = change);
  return job;
}

async function* allResults(evalJobs: GatewayDeps["evalJobs"], jobId: string): AsyncGenerator<EvalCaseResult> {
  for await (const { result } of allByIndex((place) => evalJobs.listResults({ jobId, ...place }))) yield result;
}

/** A worker of another version may have reasons that this process does not know. */
function reasonOf(reason: string | undefined): ErrorReason {
  return reason !== undefined && Object.hasOwn(ERROR_REASONS, reason) ? (reason as ErrorReason) : "INTERNAL";
}
