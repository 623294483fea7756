import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import type { ClaimedEvalJob, EvalJobStore, NewEvalJob } from "#ports/evaluation-jobs/eval-job-store.ts";
import { evalCase } from "./eval-store.ts";

export interface EvalJobStoreContract {
  /** An empty store with that clock. */
  readonly create: (clock: FixedClock) => Promise<{
    readonly store: EvalJobStore;
    readonly dispose: () => Promise<void>;
    /** A second store of the same data, as another process has it; absent if there can be none. */
    readonly reopen?: () => Promise<EvalJobStore>;
  }>;
}

export const NOW_MS = 1_787_140_002_250;
export const LEASE_MS = 30_000;
export const CLAIM = { holder: "one", leaseMs: LEASE_MS };
export const QUESTION = {
  evalId: "a",
  metricName: "final_response_match_v2",
  invocation: 0,
  step: "answer",
  sample: 3,
};

export function newEvalJob(jobId: string, overrides: Partial<NewEvalJob> = {}): NewEvalJob {
  return {
    jobId,
    appName: "app",
    evalSetId: "smoke",
    metrics: [{ metricName: "tool_trajectory_avg_score", threshold: 1 }],
    requester: { userId: "ada" },
    userId: "ada",
    cases: [evalCase("a"), evalCase("b")],
    fingerprint: "f",
    ...overrides,
  };
}

export function caseResult(evalId: string, overrides: Partial<EvalCaseResult> = {}): EvalCaseResult {
  return {
    evalSetId: "smoke",
    evalId,
    finalEvalStatus: 1,
    overallEvalMetricResults: [{ metricName: "tool_trajectory_avg_score", threshold: 1, score: 1, evalStatus: 1 }],
    evalMetricResultPerInvocation: [],
    sessionId: `___eval___session___${evalId}`,
    ...overrides,
  };
}

export function createdJob(jobId: string): EvalJob {
  return {
    jobId,
    appName: "app",
    evalSetId: "smoke",
    metrics: [{ metricName: "tool_trajectory_avg_score", threshold: 1 }],
    requester: { userId: "ada" },
    userId: "ada",
    status: "queued",
    counts: { total: 2, running: 0, done: 0, passed: 0, failed: 0 },
    createdTime: NOW_MS,
    cancelRequested: false,
    attempts: 0,
    sequence: 1,
    resultTimestamp: NOW_MS / 1000,
  };
}

export interface EvalJobWorld {
  readonly store: EvalJobStore;
  readonly clock: FixedClock;
  readonly reopen: (() => Promise<EvalJobStore>) | undefined;
  readonly claim: (jobId: string, holder?: string) => Promise<ClaimedEvalJob>;
}

/** Runs a test on a new store. */
export const withEvalJobStore =
  ({ create }: EvalJobStoreContract) =>
  (test: (world: EvalJobWorld) => Promise<void>) =>
  async () => {
    const clock = new FixedClock(NOW_MS);
    const { store, dispose, reopen } = await create(clock);
    const claim = async (jobId: string, holder = "one"): Promise<ClaimedEvalJob> => {
      const claimed = await store.claim({ jobId }, { holder, leaseMs: LEASE_MS });
      if (claimed === undefined) throw new Error(`${jobId} cannot be claimed.`);
      return claimed;
    };
    try {
      await test({ store, clock, reopen, claim });
    } finally {
      await dispose();
    }
  };
