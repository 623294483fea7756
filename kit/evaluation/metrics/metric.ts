import type { JsonObject } from "#kit/platform/json.ts";
import type { EvalMetric, EvalStatus, MetricDetails } from "../eval-result.ts";
import type { ConversationScenario, Invocation } from "../eval-set.ts";
import type { AskJudge } from "./judge.ts";

/** The input of a metric: the actual and the expected turns of one case. */
export interface MetricInput {
  /** The metric as it was asked for: its threshold, or its criterion. */
  readonly metric: EvalMetric;
  readonly evalId: string;
  readonly actual: readonly Invocation[];
  /** As many as there are actual ones; absent if the case has a scenario. */
  readonly expected?: readonly Invocation[] | undefined;
  readonly scenario?: ConversationScenario | undefined;
  /** Asks the judge model of the metric's criterion. */
  readonly ask: AskJudge;
  readonly signal: AbortSignal;
}

/** The score of one turn, or of all. */
export interface MetricScore {
  /** Absent if it could not be computed. */
  readonly score?: number | undefined;
  readonly status: EvalStatus;
  readonly details?: MetricDetails | undefined;
}

/** The scores of a metric for the conversation and for each of its turns. */
export interface MetricOutcome {
  readonly overall: MetricScore;
  /** One for each actual invocation, in their order. */
  readonly perInvocation: readonly MetricScore[];
}

/** The values that a metric has. */
export interface Interval {
  readonly minValue: number;
  readonly openAtMin: boolean;
  readonly maxValue: number;
  readonly openAtMax: boolean;
}

/** A metric as lists of metrics show it. */
export interface MetricInfo {
  readonly metricName: string;
  readonly description: string;
  readonly metricValueInfo: { readonly interval: Interval };
  /** False for a metric that reports a value and neither passes nor fails. */
  readonly requiresThreshold: boolean;
}

/** A measure of what agents did. Has no state, and does no I/O but by `MetricInput.ask`. */
export interface Metric {
  readonly info: MetricInfo;
  /** Throws a `PlatformError` with the reason if the metric cannot be computed for the input. */
  evaluate(input: MetricInput): MetricOutcome | Promise<MetricOutcome>;
}

/** Values that have no known greatest one, such as counts. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** A metric from 0 to 1 that passes from a threshold. */
export function scoredMetric(
  metricName: string,
  description: string,
  evaluate: Metric["evaluate"],
  maxValue = 1,
): Metric {
  return { info: infoOf({ metricName, description, maxValue, requiresThreshold: true }), evaluate };
}

/** A metric that reports a value and neither passes nor fails. */
export function informationalMetric(metricName: string, description: string, evaluate: Metric["evaluate"]): Metric {
  return { info: infoOf({ metricName, description, maxValue: UNBOUNDED, requiresThreshold: false }), evaluate };
}

interface InfoOptions extends Pick<MetricInfo, "metricName" | "description" | "requiresThreshold"> {
  readonly minValue?: number;
  readonly maxValue: number;
}

export function infoOf({
  metricName,
  description,
  minValue = 0,
  maxValue,
  requiresThreshold,
}: InfoOptions): MetricInfo {
  const interval = { minValue, openAtMin: false, maxValue, openAtMax: false };
  return { metricName, description, metricValueInfo: { interval }, requiresThreshold };
}

/** The criterion as an object; empty if the metric has only a threshold. */
export function criterionOf({ criterion, threshold }: EvalMetric): JsonObject {
  return criterion ?? (threshold === undefined ? {} : { threshold });
}
