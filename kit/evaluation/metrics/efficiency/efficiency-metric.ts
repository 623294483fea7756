import { EVAL_STATUS, type MetricDetails } from "#kit/evaluation/eval-result.ts";
import type { Invocation } from "#kit/evaluation/eval-set.ts";
import { invalidField } from "#kit/schema/read-json.ts";
import { informationalMetric, type Metric, type MetricInput } from "../metric.ts";

/** The cost of one turn. An absent score means that it was not measured, and never zero. */
export interface TurnCost {
  readonly score?: number | undefined;
  readonly details?: MetricDetails | undefined;
}

interface EfficiencyMetricOptions {
  readonly name: string;
  readonly description: string;
  readonly costOf: (invocation: Invocation) => TurnCost;
  /** The value of the whole case. */
  readonly combine: (turns: readonly TurnCost[]) => TurnCost;
}

/** A metric of what turns cost. It reports a value for each turn and neither passes nor fails. */
export function efficiencyMetric({ name, description, costOf, combine }: EfficiencyMetricOptions): Metric {
  const status = EVAL_STATUS.INFORMATIONAL;
  return informationalMetric(name, description, ({ metric, actual }: MetricInput) => {
    if (metric.threshold !== undefined || metric.criterion !== undefined)
      throw invalidField(
        `criteria.${name}`,
        "has a threshold, and the metric never passes or fails: remove it, the metric is part of every evaluation",
      );
    const turns = actual.map(costOf);
    return {
      overall: { ...combine(turns), status },
      perInvocation: turns.map((turn) => ({ ...turn, status })),
    };
  });
}
