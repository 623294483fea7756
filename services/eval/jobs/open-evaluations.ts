import { sleep } from "#kit/platform/sleep.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import { EvalWorker } from "./eval-worker.ts";
import { LocalEvalJobs } from "./local-eval-jobs.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";

export interface Evaluations {
  readonly jobs: EvalJobs;
  readonly worker: EvalWorker;
}

/** The evaluations of a process and the worker that runs them, once it is started. */
export function openEvaluations(
  deps: Omit<EvalWorkerDeps, "sleep"> & Partial<Pick<EvalWorkerDeps, "sleep">>,
): Evaluations {
  const { sleep: wait = sleep } = deps;
  const worker = new EvalWorker({ ...deps, sleep: wait });
  const jobs = new LocalEvalJobs({
    store: deps.evalJobStore,
    abilities: { judgeModels: deps.config.EVAL_JUDGE_MODELS },
    wake: () => worker.wake(),
    sleep: wait,
  });
  return { jobs, worker };
}
