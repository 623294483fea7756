/** A metric as the developer UI's dialog lists it. It needs an interval for each. */
export interface MetricInfo {
  readonly metricName: string;
  readonly description: string;
  readonly metricValueInfo: { readonly interval: Interval };
  readonly requiresThreshold: boolean;
}

interface Interval {
  readonly minValue: number;
  readonly openAtMin: boolean;
  readonly maxValue: number;
  readonly openAtMax: boolean;
}

export const EVAL_METRICS: readonly MetricInfo[] = [
  metric("tool_trajectory_avg_score", "Share of turns whose tool calls equal the expected ones, names and arguments."),
  metric("response_evaluation_score", "How coherent the answers are, from 1 to 5, as a judge model sees it.", 1, 5),
  metric("response_match_score", "Words that the answers share with the expected ones (ROUGE-1)."),
  metric("safety_v1", "Whether the answers are harmless."),
  metric("multi_turn_task_success_v1", "Whether the conversation reached its goal."),
  metric("multi_turn_trajectory_quality_v1", "How well the steps led to the goal, without a reference."),
  metric("multi_turn_tool_use_quality_v1", "How well tools were used over the conversation."),
  metric(
    "final_response_match_v2",
    "Whether the last answers have the meaning of the expected ones, as judged by a model.",
  ),
  metric("rubric_based_final_response_quality_v1", "Share of your rubrics that the last answers meet."),
  metric("hallucinations_v1", "Share of statements that the context supports."),
  metric("rubric_based_tool_use_quality_v1", "Share of your rubrics that the use of tools meets."),
  metric("per_turn_user_simulator_quality_v1", "Share of simulated user messages that follow the scenario."),
  metric("rubric_based_multi_turn_trajectory_quality_v1", "Share of your rubrics that the whole conversation meets."),
];

function metric(metricName: string, description: string, minValue = 0, maxValue = 1): MetricInfo {
  const interval = { minValue, openAtMin: false, maxValue, openAtMax: false };
  return { metricName, description, metricValueInfo: { interval }, requiresThreshold: true };
}
