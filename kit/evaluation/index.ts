export { type CaseScores, type EvaluateCaseRequest, evaluateCase } from "./engine/evaluate-case.ts";
export { MetricRegistry, type MetricRegistryOptions } from "./engine/metric-registry.ts";
export {
  EVAL_STATUS,
  type EvalCaseResult,
  type EvalMetric,
  type EvalMetricResult,
  type EvalMetricResultPerInvocation,
  type EvalSetResult,
  type EvalStatus,
} from "./eval-result.ts";
export type { ConversationScenario, EvalCase, EvalSet, Invocation, Rubric } from "./eval-set.ts";
export { DEFAULT_EVAL_CONFIG, type EvalConfig, parseEvalConfig } from "./formats/eval-config.ts";
export { formatEvalSetFile, parseEvalSetFile } from "./formats/eval-set-file.ts";
export { evaluate } from "./local/evaluate.ts";
export type { EvaluateOptions } from "./local/evaluate-set.ts";
export { metricNotes } from "./metric-note.ts";
export {
  type CustomMetricFunction,
  type CustomScore,
  type CustomScores,
  createCustomMetric,
} from "./metrics/custom-metric.ts";
export { type AskJudge, type JudgeCall, type JudgeCallKey, judgeKeyText } from "./metrics/judge.ts";
export type { ManagedEvaluator, ManagedRequest } from "./metrics/managed-metrics.ts";
export type { Metric, MetricInfo, MetricInput, MetricOutcome, MetricScore } from "./metrics/metric.ts";
