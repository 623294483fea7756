import { PlatformError } from "#kit/errors/platform-error.ts";
import { invalidField } from "#kit/schema/read-json.ts";
import { EVAL_STATUS, type EvalMetric, type EvalStatus } from "../eval-result.ts";
import type { Invocation } from "../eval-set.ts";
import type { MetricInput, MetricOutcome, MetricScore } from "./metric.ts";

/** The score from which the metric passes. Throws `INVALID_FIELD`. */
export function thresholdOf({ metricName, criterion, threshold }: EvalMetric): number {
  const value = criterion === undefined ? threshold : criterion["threshold"];
  if (typeof value === "number") return value;
  throw invalidField(`${metricName}.threshold`, "is missing: set the score from which the metric passes");
}

export function statusOf(score: number | undefined, threshold: number): EvalStatus {
  if (score === undefined) return EVAL_STATUS.NOT_EVALUATED;
  return score >= threshold ? EVAL_STATUS.PASSED : EVAL_STATUS.FAILED;
}

/** The mean; undefined without values. */
export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Scores each turn against its expected one. The overall score is their mean. */
export function compareTurns(
  input: MetricInput,
  scoreOf: (actual: Invocation, expected: Invocation) => number,
): MetricOutcome {
  const threshold = thresholdOf(input.metric);
  const expected = expectedOf(input);
  const scores = input.actual.flatMap((actual, index) => {
    const reference = expected[index];
    return reference === undefined ? [] : [scoreOf(actual, reference)];
  });
  return meanOutcome(scores, threshold);
}

export function meanOutcome(scores: readonly (number | undefined)[], threshold: number): MetricOutcome {
  const overall = mean(scores.filter((score) => score !== undefined));
  const toScore = (score: number | undefined): MetricScore => ({ score, status: statusOf(score, threshold) });
  return { overall: toScore(overall), perInvocation: scores.map(toScore) };
}

/** The expected turns. Throws `EVAL_METRIC_UNAVAILABLE` for a case without them, and if they are not as many. */
export function expectedOf({ metric, actual, expected }: MetricInput): readonly Invocation[] {
  if (expected === undefined)
    throw cannotEvaluate(
      metric,
      "compares with expected turns, and a case with a conversationScenario has none: use a metric without a reference",
    );
  assertSameLength(actual, expected);
  return expected;
}

export function assertSameLength(actual: readonly Invocation[], expected: readonly Invocation[] | undefined): void {
  if (expected === undefined || expected.length === actual.length) return;
  throw new PlatformError(
    "EVAL_METRIC_UNAVAILABLE",
    `The conversation has ${expected.length} expected turns and the agent made ${actual.length}: they must be as many.`,
  );
}

export function cannotEvaluate({ metricName }: EvalMetric, why: string): PlatformError {
  return new PlatformError("EVAL_METRIC_UNAVAILABLE", `${metricName} ${why}.`, { details: { metricName } });
}
