import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { JudgeCallKey } from "#kit/evaluation/metrics/judge.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { EvalJob, EvalJobCase, EvalJobError, EvalJobKey, EvalJobLease, EvalJobPlan } from "./eval-job.ts";

export interface NewEvalJob extends EvalJobKey, EvalJobPlan {
  readonly cases: readonly EvalCase[];
  /** A request with the key of an earlier job returns that job. Keys are separate for each tenant, user and app. */
  readonly idempotencyKey?: string;
  /** Equal for equal requests. The same key with another fingerprint is refused. */
  readonly fingerprint: string;
  /**
   * The permission that a worker presents to run the job's cases, where services check one. Reads of a job do not
   * return it.
   */
  readonly permit?: string;
}

export interface ListEvalJobsRequest extends TenantScoped {
  readonly appName?: string;
  readonly evalSetId?: string;
  /** Only jobs of this requester; all jobs if absent. */
  readonly userId?: string;
  readonly statuses?: readonly EvalJob["status"][];
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export interface EvalJobPage {
  /** The newest first. */
  readonly jobs: readonly EvalJob[];
  readonly nextPageToken?: string;
}

export interface ListEvalJobCasesRequest extends EvalJobKey {
  /** Only cases after this one; from the first if absent. */
  readonly afterIndex?: number;
  readonly pageSize?: number;
}

/** A job whose lease the caller now has. */
export interface ClaimedEvalJob {
  readonly job: EvalJob;
  readonly lease: EvalJobLease;
  readonly permit?: string;
}

/** The result of one case. */
export interface EvalJobResult {
  readonly index: number;
  readonly result: EvalCaseResult;
}

/** How a job ended. */
export type EvalJobEnd =
  | { readonly status: "succeeded" }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly error: EvalJobError };

/** The operations on jobs that a server's clients may call. */
export interface EvalJobReader {
  get(key: EvalJobKey): Promise<EvalJob | undefined>;
  /** Throws `INVALID_PAGE_TOKEN`. A page may have fewer jobs than were asked for, and a token. */
  list(request: ListEvalJobsRequest): Promise<EvalJobPage>;
  /** In their order; large pages have fewer than were asked for, and the one after the last has none. Throws `EVAL_JOB_NOT_FOUND`. */
  listCases(request: ListEvalJobCasesRequest): Promise<readonly EvalJobCase[]>;
  /** The results of cases that are done, in the cases' order and pages as above. Throws `EVAL_JOB_NOT_FOUND`. */
  listResults(request: ListEvalJobCasesRequest): Promise<readonly EvalJobResult[]>;
  /**
   * Ends a job that nobody runs, and asks the worker of another to end it. A job that has ended stays as it is. Throws
   * `EVAL_JOB_NOT_FOUND`.
   */
  cancel(key: EvalJobKey): Promise<EvalJob>;
}

/**
 * The jobs of evaluations, with the records of their cases and the answers of judges. Each method is one atomic step.
 * Methods with a lease throw `LEASE_LOST` if it is not the job's present one, and change nothing then.
 */
export interface EvalJobStore extends EvalJobReader {
  /** Returns the job of that idempotency key if there is one. Throws `IDEMPOTENCY_KEY_REUSED` for another request under it. */
  create(job: NewEvalJob): Promise<EvalJob>;

  /** Jobs that no worker has: queued ones, and running ones whose lease has expired. */
  listClaimable(limit: number): Promise<readonly EvalJobKey[]>;
  /** Gives the job's lease to the holder; undefined if another has it, or the job has ended. */
  claim(key: EvalJobKey, options: ClaimOptions): Promise<ClaimedEvalJob | undefined>;
  renew(lease: EvalJobLease, leaseMs: number): Promise<EvalJob>;
  /** Hands the job over: any worker may claim it immediately, and the attempt does not count. */
  release(lease: EvalJobLease): Promise<void>;
  finish(lease: EvalJobLease, end: EvalJobEnd): Promise<EvalJob>;

  /** Throws `EVAL_JOB_NOT_FOUND` if there is no such case. */
  getCaseInput(key: EvalJobKey, index: number): Promise<EvalCase>;
  beginCase(lease: EvalJobLease, begun: BegunCase): Promise<EvalJobCase>;
  /** A case that is done stays as it is. */
  finishCase(lease: EvalJobLease, index: number, result: EvalCaseResult): Promise<EvalJob>;

  getAnswer(key: EvalJobKey, question: JudgeCallKey): Promise<string | undefined>;
  /** Stores the answer unless there is one, and returns what is stored: the first answer counts, whoever received it. */
  recordAnswer(lease: EvalJobLease, question: JudgeCallKey, answer: string): Promise<string>;

  /** Deletes jobs that ended before that time, at most `limit`, and returns how many. Results of sets stay. */
  prune(endedBefore: number, limit: number): Promise<number>;
}

export interface ClaimOptions {
  readonly holder: string;
  readonly leaseMs: number;
}

export interface BegunCase {
  readonly index: number;
  readonly sessionId: string;
}
