import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { EvalCaseResult } from "../eval-result.ts";
import type { CustomMetricFunction } from "../metrics/custom-metric.ts";
import type { ManagedEvaluator } from "../metrics/managed-metrics.ts";

/** Settings of one evaluation; all have defaults. */
export interface EvaluateOptions {
  /** Functions of the config's custom metrics, by the names of the metrics. */
  readonly customMetrics?: Readonly<Record<string, CustomMetricFunction>>;
  /** Finds the models of judges and simulated users; the models of agents if absent. */
  readonly models?: { resolve(name: string): BaseLlm };
  /** Computes the metrics of a managed service. */
  readonly managed?: ManagedEvaluator;
  /** How many cases are evaluated at the same time; 4 if absent. */
  readonly parallel?: number;
  readonly signal?: AbortSignal;
  /** Called with the result of each case, in the order in which they end. */
  readonly onCaseResult?: (result: EvalCaseResult) => void;
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
}
