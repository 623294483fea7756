import { systemClock } from "#kit/platform/clock.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { LocalEvalJobs } from "#services/eval/jobs/local-eval-jobs.ts";

/** Evaluations that no worker runs. */
export function inMemoryEvalJobs(
  store: EvalJobStore = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock: systemClock }),
): LocalEvalJobs {
  return new LocalEvalJobs({ store, abilities: { judgeModels: ["demo/judge"] } });
}
