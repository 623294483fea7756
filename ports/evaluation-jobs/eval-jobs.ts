import type { EvalJob, EvalJobCase, EvalJobKey } from "./eval-job.ts";
import type { EvalJobReader, NewEvalJob } from "./eval-job-store.ts";

/** The resources that evaluations of a server can use. */
export interface EvalAbilities {
  /** The models that may judge and simulate users, the default first; empty if there are none. */
  readonly judgeModels: readonly string[];
}

export interface WatchEvalJobRequest extends EvalJobKey {
  /** The `sequence` of the last change that was seen; from the beginning if absent. */
  readonly afterSequence?: number;
}

/** A change of a job, or of one of its cases. */
export type EvalJobChange =
  | { readonly kind: "case"; readonly case: EvalJobCase }
  | { readonly kind: "job"; readonly job: EvalJob };

/** The evaluations of a server. */
export interface EvalJobs extends EvalJobReader {
  describe(): Promise<EvalAbilities>;
  /** As `EvalJobStore.create`; a worker then runs the job. */
  start(job: NewEvalJob): Promise<EvalJob>;
  /**
   * The changes after one that was seen, in their order, until the job has ended. A job is the last of the changes of its
   * `sequence`. Throws `EVAL_JOB_NOT_FOUND`.
   */
  watch(request: WatchEvalJobRequest, signal: AbortSignal): AsyncIterable<EvalJobChange>;
}
