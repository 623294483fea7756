import type { Metric } from "#kit/evaluation/metrics/metric.ts";
import { rubricMetric } from "./rubric-metric.ts";
import { finalResponsePrompt, toolUsePrompt, trajectoryPrompt } from "./rubric-prompts.ts";

export const RUBRIC_METRICS: readonly Metric[] = [
  rubricMetric({
    name: "rubric_based_final_response_quality_v1",
    description: "Share of your rubrics that the final answers meet, as a judge model finds.",
    rubricType: "FINAL_RESPONSE_QUALITY",
    promptFor: finalResponsePrompt,
  }),
  rubricMetric({
    name: "rubric_based_tool_use_quality_v1",
    description: "Share of your rubrics that the use of tools meets, as a judge model finds.",
    rubricType: "TOOL_USE_QUALITY",
    promptFor: toolUsePrompt,
  }),
  rubricMetric({
    name: "rubric_based_multi_turn_trajectory_quality_v1",
    description: "Share of your rubrics that the conversation as a whole meets, as a judge model finds.",
    rubricType: "TRAJECTORY_QUALITY",
    promptFor: trajectoryPrompt,
    wholeConversation: true,
  }),
];
