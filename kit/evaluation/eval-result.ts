import type { JsonObject } from "../platform/json.ts";
import type { Invocation } from "./eval-set.ts";

/** Numbers, as in messages. */
export const EVAL_STATUS = { PASSED: 1, FAILED: 2, NOT_EVALUATED: 3, INFORMATIONAL: 4 } as const;
/** How a metric or a case ended: one of the numbers of `EVAL_STATUS`. */
export type EvalStatus = (typeof EVAL_STATUS)[keyof typeof EVAL_STATUS];

/** The metric, and the score from which it passes. */
export interface EvalMetric {
  readonly metricName: string;
  readonly threshold?: number;
  readonly criterion?: JsonObject;
  readonly customFunctionPath?: string;
}

/** The score of a metric for one turn, or for all. */
export interface EvalMetricResult extends EvalMetric {
  /** Absent if it was not evaluated. */
  readonly score?: number;
  readonly evalStatus: EvalStatus;
  readonly details?: MetricDetails;
}

/** The details of a score. */
export interface MetricDetails {
  /** The scores of rubrics, and remarks on the evaluation (`eval-remark.ts`). */
  readonly rubricScores?: readonly RubricScore[];
  readonly tokenUsageDetails?: TokenUsageDetails;
  readonly durationDetails?: DurationDetails;
}

export interface RubricScore {
  readonly rubricId: string;
  readonly rationale?: string;
  /** 1 if the rubric is met and 0 if not; between them for several turns; absent without a verdict. */
  readonly score?: number;
}

/** Tokens of a turn, or their mean. A count that no model call reported is absent. */
export interface TokenUsageDetails {
  /** Input and output, not the total that the provider reports. */
  readonly totalTokens?: number;
  readonly inputTokens?: number;
  readonly promptTokens?: number;
  readonly cachedTokens?: number;
  readonly toolUseTokens?: number;
  readonly outputTokens?: number;
  readonly candidatesTokens?: number;
  readonly reasoningTokens?: number;
}

/** Seconds of a turn, or their mean, and their parts. A time that was not measured is absent. */
export interface DurationDetails {
  readonly totalSeconds?: number;
  /** The time in which at least one model call was in progress. */
  readonly modelSeconds?: number;
  /** The time in which a tool ran and no model call was in progress. */
  readonly toolSeconds?: number;
  /** The rest of `totalSeconds`. */
  readonly frameworkSeconds?: number;
}

/** The scores of one turn. */
export interface EvalMetricResultPerInvocation {
  readonly actualInvocation: Invocation;
  readonly expectedInvocation?: Invocation;
  readonly evalMetricResults: readonly EvalMetricResult[];
}

/** The outcome of one case. */
export interface EvalCaseResult {
  readonly evalSetId: string;
  readonly evalId: string;
  readonly finalEvalStatus: EvalStatus;
  readonly overallEvalMetricResults: readonly EvalMetricResult[];
  readonly evalMetricResultPerInvocation: readonly EvalMetricResultPerInvocation[];
  readonly sessionId: string;
  readonly userId?: string;
  readonly sessionDetails?: JsonObject;
  /** Both are deprecated and still written, because clients read them. */
  readonly evalSetFile?: string;
  readonly evalMetricResults?: readonly EvalMetricResult[];
}

/** The outcome of one evaluation of a set. */
export interface EvalSetResult {
  readonly evalSetResultId: string;
  readonly evalSetResultName: string;
  readonly evalSetId: string;
  readonly evalCaseResults: readonly EvalCaseResult[];
  /** Seconds since the epoch; its JavaScript notation is the last part of the id. */
  readonly creationTimestamp: number;
}

/** `{app}_{set}_{time}`, the form in which clients build it for links. */
export function evalSetResultId(appName: string, evalSetId: string, creationTimestamp: number): string {
  return `${appName}_${evalSetId}_${creationTimestamp}`;
}

/** Creates the result of a set, with its id and its name. */
export function createEvalSetResult(
  appName: string,
  { evalSetId, evalCaseResults, creationTimestamp }: Omit<EvalSetResult, "evalSetResultId" | "evalSetResultName">,
): EvalSetResult {
  const id = evalSetResultId(appName, evalSetId, creationTimestamp);
  return {
    evalSetResultId: id,
    evalSetResultName: evalSetResultName(id),
    evalSetId,
    evalCaseResults,
    creationTimestamp,
  };
}

/** The name under which a result is stored and listed: its id, with slashes replaced. */
export function evalSetResultName(id: string): string {
  return id.replaceAll("/", "_");
}
