import type { JsonObject } from "../platform/json.ts";
import type { Invocation } from "./eval-set.ts";

/** Numbers, as in messages. */
export const EVAL_STATUS = { PASSED: 1, FAILED: 2, NOT_EVALUATED: 3 } as const;
export type EvalStatus = (typeof EVAL_STATUS)[keyof typeof EVAL_STATUS];

/** The metric, and the score from which it passes. */
export interface EvalMetric {
  readonly metricName: string;
  readonly threshold?: number;
  readonly criterion?: JsonObject;
  readonly customFunctionPath?: string;
}

export interface EvalMetricResult extends EvalMetric {
  /** Absent if it was not evaluated. */
  readonly score?: number;
  readonly evalStatus: EvalStatus;
  readonly details?: JsonObject;
}

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

/** The name under which a result is stored and listed: its id, with slashes replaced. */
export function evalSetResultName(id: string): string {
  return id.replaceAll("/", "_");
}
