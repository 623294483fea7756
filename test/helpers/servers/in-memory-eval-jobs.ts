import type { EvalJobStore } from "#kit/evaluation/jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#kit/evaluation/jobs/tabular-eval-job-store.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { InMemoryRowTable } from "#kit/rows/in-memory-row-table.ts";
import { LocalEvalJobs } from "#services/eval/jobs/local-eval-jobs.ts";

/** Evaluations that no worker runs. */
export function inMemoryEvalJobs(
  store: EvalJobStore = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock: systemClock }),
): LocalEvalJobs {
  return new LocalEvalJobs({ store, abilities: { judgeModels: ["demo/judge"] } });
}
