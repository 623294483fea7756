import { PlatformError } from "#kit/errors/platform-error.ts";
import type { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import type { EvalMetric } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { UserSimulatorConfig } from "#kit/evaluation/formats/eval-config.ts";
import { judgeCriterion } from "#kit/evaluation/judges/judge-criterion.ts";
import { DEFAULT_MOST_TURNS } from "#kit/evaluation/simulation/model-user.ts";
import { invalidField } from "#kit/schema/read-json.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";

export const MAX_CASES = 2000;
/** Of all turns of all cases together, one question for each sample. Metrics that ask more about a turn ask a multiple of it. */
export const MAX_SAMPLES = 100_000;
/** Messages of a simulated user in one case. */
export const MAX_PLAYED_TURNS = 100;
/** Evaluations of one requester that wait or run. */
export const MAX_OPEN_EVALUATIONS = 50;

export interface Workload {
  readonly cases: readonly EvalCase[];
  readonly metrics: readonly EvalMetric[];
  readonly registry: MetricRegistry;
  readonly userSimulatorConfig: UserSimulatorConfig | undefined;
}

/** Throws `INVALID_FIELD` if the evaluation is over one of the limits. */
export function assertWorkload({ cases, metrics, registry, userSimulatorConfig }: Workload): void {
  if (cases.length > MAX_CASES)
    throw invalidField(
      "evalIds",
      `must name at most ${MAX_CASES} cases for one evaluation, and these are ${cases.length}`,
    );
  const judged = metrics.filter(({ metricName }) => registry.asksJudge(metricName));
  const played = userSimulatorConfig?.maxAllowedInvocations ?? DEFAULT_MOST_TURNS;
  const judgedTurns = cases.reduce((sum, { conversation }) => sum + (conversation?.length ?? played), 0);
  const samples = judgedTurns * judged.reduce((sum, metric) => sum + judgeCriterion(metric).judge.samples, 0);
  if (samples > MAX_SAMPLES)
    throw invalidField(
      "evalMetrics",
      `must ask judges for at most ${MAX_SAMPLES} samples, and ask for ${samples}: lower numSamples, or name fewer cases in evalIds`,
    );
  const turns = userSimulatorConfig?.maxAllowedInvocations ?? 0;
  if (turns < 0 || turns > MAX_PLAYED_TURNS)
    throw invalidField(
      "userSimulatorConfig.maxAllowedInvocations",
      `must be from 0 to ${MAX_PLAYED_TURNS} on a server`,
    );
}

/**
 * Throws `TOO_MANY_EVALUATIONS` if the requester has as many open evaluations of the app as are allowed. Concurrent
 * requests may exceed the limit together, by their number.
 */
export async function assertRoom(
  jobs: Pick<EvalJobs, "list">,
  appName: string,
  userId: string | undefined,
): Promise<void> {
  const { jobs: open } = await jobs.list({
    appName,
    userId,
    statuses: ["queued", "running"],
    pageSize: 500,
  });
  const own = open.filter(({ requester }) => requester.userId === userId);
  if (own.length < MAX_OPEN_EVALUATIONS) return;
  throw new PlatformError(
    "TOO_MANY_EVALUATIONS",
    `${own.length} evaluations wait or run, and at most ${MAX_OPEN_EVALUATIONS} may: wait until one has ended, or cancel one.`,
    { details: { limit: String(MAX_OPEN_EVALUATIONS) } },
  );
}
