import type { EvalMetric, EvalStatus } from "#kit/evaluation/eval-result.ts";
import type { UserSimulatorConfig } from "#kit/evaluation/formats/eval-config.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";

/** Names an evaluation that a server runs. */
export interface EvalJobKey extends TenantScoped {
  readonly jobId: string;
}

export const EVAL_JOB_STATUSES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;

export type EvalJobStatus = (typeof EVAL_JOB_STATUSES)[number];

/** Who asked for the evaluation. */
export interface EvalRequester {
  /** Absent for a caller who reaches all users. Others reach this user's jobs only. */
  readonly userId?: string;
  /** The API key whose quotas the runs use. */
  readonly keyId?: string;
}

/**
 * The cases and metrics of an evaluation. Its cases are read once, when it is created: later changes of the set do not
 * count.
 */
export interface EvalJobPlan {
  readonly appName: string;
  readonly evalSetId: string;
  /** Each with its threshold or criterion, and with the judge's model if it asks one. */
  readonly metrics: readonly EvalMetric[];
  readonly userSimulatorConfig?: UserSimulatorConfig;
  readonly requester: EvalRequester;
  /** The user of all cases; absent: the user that each case names. */
  readonly userId?: string;
}

/** How far an evaluation is. Cases that are neither done nor running wait. */
export interface EvalJobCounts {
  readonly total: number;
  readonly running: number;
  readonly done: number;
  readonly passed: number;
  readonly failed: number;
}

/** Why an evaluation failed, as it is shown to its requester. */
export interface EvalJobError {
  readonly reason: string;
  readonly message: string;
}

/** An evaluation that a server runs. Times are milliseconds since the epoch. */
export interface EvalJob extends EvalJobKey, EvalJobPlan {
  readonly status: EvalJobStatus;
  readonly counts: EvalJobCounts;
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly endedTime?: number;
  readonly cancelRequested: boolean;
  /** How often a worker began it, not counting those that handed it over. */
  readonly attempts: number;
  /** Grows with each change; the number of a case's change is in its record. */
  readonly sequence: number;
  /** The time in the name of its result, in seconds: no other evaluation of the set has it. */
  readonly resultTimestamp: number;
  readonly error?: EvalJobError;
}

/** One case of a job. */
export interface EvalJobCase {
  readonly index: number;
  readonly evalId: string;
  readonly status: "pending" | "running" | "done";
  /** How often a worker began it. */
  readonly attempts: number;
  readonly sessionId?: string;
  /** The job's `sequence` at its last change. */
  readonly sequence: number;
  /** Present if it is done. */
  readonly finalEvalStatus?: EvalStatus;
}

/** The exclusive right to write to a job: the store refuses writes with an older epoch. */
export interface EvalJobLease extends EvalJobKey {
  readonly epoch: number;
  readonly holder: string;
}

export function isEnded({ status }: Pick<EvalJob, "status">): boolean {
  return status !== "queued" && status !== "running";
}
