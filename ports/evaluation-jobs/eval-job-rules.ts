import { PlatformError } from "#kit/errors/platform-error.ts";
import { LeaseLostError } from "#kit/errors/session-errors.ts";
import { EVAL_STATUS, type EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { type EvalJob, type EvalJobCase, type EvalJobKey, type EvalJobLease, isEnded } from "./eval-job.ts";
import type { ClaimOptions, EvalJobEnd } from "./eval-job-store.ts";

/** A job as its store keeps it. */
export interface StoredJob extends EvalJob {
  /** Grows with each claim. */
  readonly epoch: number;
  /** The worker that has the job, and until when, in milliseconds since the epoch. */
  readonly holder?: string;
  readonly expiresAt?: number;
  /** The `sequence` of the newest claim: cases that run and changed later are counted as running. */
  readonly claimSequence?: number;
  readonly permit?: string;
  /** The users of its cases, without those whose data was deleted since. */
  readonly users: readonly string[];
  readonly fingerprint: string;
  /** The keys of rows that are removed with it, besides those of its parts. */
  readonly rows: readonly string[];
}

/** The rules of jobs, the same in every store. Each returns the changed job. */

/** Undefined if another worker has the job, or it has ended. */
export function claimed(job: StoredJob, { holder, leaseMs }: ClaimOptions, now: number): StoredJob | undefined {
  if (!isClaimable(job, now)) return undefined;
  const attempts = job.attempts + 1;
  const times = { expiresAt: now + leaseMs, startedTime: job.startedTime ?? now };
  // Cases that the previous worker had begun are run again.
  const counts = { ...job.counts, running: 0 };
  const claim = { epoch: job.epoch + 1, holder, claimSequence: job.sequence + 1 };
  return { ...job, ...times, ...claim, counts, attempts, status: "running" };
}

export function isClaimable(job: StoredJob, now: number): boolean {
  if (job.status === "queued") return true;
  return job.status === "running" && (job.holder === undefined || (job.expiresAt ?? 0) <= now);
}

export function renewed(job: StoredJob, leaseMs: number, now: number): StoredJob {
  return { ...job, expiresAt: now + leaseMs };
}

export function released(job: StoredJob): StoredJob {
  const { holder: _, expiresAt: __, ...rest } = job;
  return { ...rest, attempts: job.attempts - 1, counts: { ...job.counts, running: 0 } };
}

export function finished(job: StoredJob, end: EvalJobEnd, now: number): StoredJob {
  const { holder: _, expiresAt: __, permit: ___, ...rest } = job;
  const error = end.status === "failed" ? { error: end.error } : {};
  return { ...rest, ...error, counts: { ...job.counts, running: 0 }, status: end.status, endedTime: now };
}

/** The job without the cases' user whose data is deleted. */
export function withoutUser(job: StoredJob, userId: string): StoredJob {
  return { ...job, users: job.users.filter((user) => user !== userId) };
}

/** Cancels a job. If no worker runs it, it ends now; otherwise its worker reads the request and ends it. */
export function cancelled(job: StoredJob, now: number): StoredJob {
  if (isEnded(job)) return job;
  const requested = job.cancelRequested ? job : { ...job, cancelRequested: true };
  return isClaimable(job, now) ? finished(requested, { status: "cancelled" }, now) : requested;
}

/**
 * Whether a worker may be about to store the result of the set, because all cases are done. The lease does not protect
 * that write.
 */
export function mayStoreResult(job: StoredJob, now: number): boolean {
  return job.status === "running" && !isClaimable(job, now) && job.counts.done === job.counts.total;
}

/** A case whose conversation was interrupted is begun again by the worker that has counted it. */
export function withCaseBegun(job: StoredJob, { status, sequence }: EvalJobCase): StoredJob {
  const isCounted = status === "running" && sequence > (job.claimSequence ?? 0);
  return { ...job, counts: { ...job.counts, running: job.counts.running + (isCounted ? 0 : 1) } };
}

export function withCaseDone({ counts, ...job }: StoredJob, { finalEvalStatus }: EvalCaseResult): StoredJob {
  const isPassed = finalEvalStatus === EVAL_STATUS.PASSED;
  const isFailed = finalEvalStatus === EVAL_STATUS.FAILED;
  return {
    ...job,
    counts: {
      total: counts.total,
      running: Math.max(counts.running - 1, 0),
      done: counts.done + 1,
      passed: counts.passed + (isPassed ? 1 : 0),
      failed: counts.failed + (isFailed ? 1 : 0),
    },
  };
}

/** Throws `LEASE_LOST` unless the lease is the job's present one. */
export function assertHeld(job: StoredJob | undefined, { jobId, epoch, holder }: EvalJobLease): StoredJob {
  if (job === undefined || isEnded(job) || job.epoch !== epoch || job.holder !== holder)
    throw new LeaseLostError(jobId);
  return job;
}

/** The job as callers of the store read it. */
export function shownJob(stored: StoredJob): EvalJob {
  const { epoch: _, holder: __, expiresAt: ___, claimSequence: ____, ...kept } = stored;
  const { permit: _____, fingerprint: ______, rows: _______, users: ________, ...job } = kept;
  return job;
}

export function evalJobNotFound({ jobId }: Pick<EvalJobKey, "jobId">): PlatformError {
  return new PlatformError("EVAL_JOB_NOT_FOUND", `Evaluation not found: ${jobId}`, { details: { jobId } });
}
