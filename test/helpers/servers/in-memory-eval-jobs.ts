import type { EvalJobStore } from "#kit/evaluation/jobs/eval-job-store.ts";
import { InMemoryEvalJobStore } from "#kit/evaluation/jobs/in-memory-eval-job-store.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { LocalEvalJobs } from "#services/eval/jobs/local-eval-jobs.ts";

/** Evaluations that no worker runs. */
export function inMemoryEvalJobs(
  store: EvalJobStore = new InMemoryEvalJobStore({ clock: systemClock }),
): LocalEvalJobs {
  return new LocalEvalJobs({ store, abilities: { judgeModels: ["demo/judge"] } });
}
