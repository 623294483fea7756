import type { EvalMetric } from "#kit/evaluation/eval-result.ts";
import type { Rubric } from "#kit/evaluation/eval-set.ts";
import { cannotEvaluate } from "#kit/evaluation/metrics/scores.ts";

/**
 * The rubrics for one turn: those of the criterion, and those of the case and the turn that are of the metric's type.
 * Throws `EVAL_METRIC_UNAVAILABLE` if there is none, or two have one id.
 */
export function effectiveRubrics(
  metric: EvalMetric,
  {
    criterion = [],
    turn = [],
    type,
  }: { criterion?: readonly Rubric[]; turn?: readonly Rubric[] | undefined; type: string },
): readonly Rubric[] {
  const rubrics = [...criterion, ...turn.filter((rubric) => rubric.type === type)];
  const ids = new Set<string>();
  for (const { rubricId } of rubrics) {
    if (ids.has(rubricId))
      throw cannotEvaluate(metric, `has two rubrics with the id "${rubricId}": rename one of them`);
    ids.add(rubricId);
  }
  if (rubrics.length === 0)
    throw cannotEvaluate(metric, `needs rubrics: in its criterion, or in the case with the type ${type}`);
  return rubrics;
}
