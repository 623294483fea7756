import type { Invocation } from "#kit/evaluation/eval-set.ts";
import type { Metric } from "../metric.ts";
import { mean } from "../scores.ts";
import { toolCallsOf } from "../turn-parts.ts";
import { efficiencyMetric, type TurnCost } from "./efficiency-metric.ts";

export const TOOL_CALL_COUNT: Metric = efficiencyMetric({
  name: "tool_call_count_v1",
  description: "Tool calls in a turn, on average.",
  costOf: (invocation) => ({ score: toolCallsOf(invocation).length }),
  combine: meanCost,
});

export const INFERENCE_CALL_COUNT: Metric = efficiencyMetric({
  name: "inference_call_count_v1",
  description: "Calls of models in a turn, on average.",
  costOf: (invocation) => ({ score: inferenceCount(invocation) }),
  combine: meanCost,
});

/** Undefined for turns in the older form, which does not record calls of models. */
function inferenceCount({ intermediateData }: Invocation): number | undefined {
  return intermediateData?.invocationEvents?.filter(
    ({ usageMetadata, modelVersion }) =>
      (usageMetadata ?? undefined) !== undefined || (modelVersion ?? undefined) !== undefined,
  ).length;
}

function meanCost(turns: readonly TurnCost[]): TurnCost {
  return { score: mean(turns.flatMap(({ score }) => score ?? [])) };
}
