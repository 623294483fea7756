import type { EvalJobs } from "#kit/evaluation/jobs/eval-jobs.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { EvalWorker } from "./eval-worker.ts";
import { JudgeModels } from "./judge-models.ts";
import { LocalEvalJobs } from "./local-eval-jobs.ts";
import type { EvalWorkerDeps } from "./worker-deps.ts";

export interface Evaluations {
  readonly jobs: EvalJobs;
  readonly worker: EvalWorker;
}

/** The evaluations of a process and the worker that runs them, once it is started. */
export function openEvaluations(
  deps: Omit<EvalWorkerDeps, "models" | "sleep"> & Partial<Pick<EvalWorkerDeps, "models" | "sleep">>,
): Evaluations {
  const {
    models = new JudgeModels(deps.config.EVAL_JUDGE_MODELS, (name) => defaultModelRegistry.resolve(name)),
    sleep: wait = sleep,
  } = deps;
  const worker = new EvalWorker({ ...deps, models, sleep: wait });
  const jobs = new LocalEvalJobs({
    store: deps.evalJobStore,
    abilities: { judgeModels: models.names },
    wake: () => worker.wake(),
    sleep: wait,
  });
  return { jobs, worker };
}
