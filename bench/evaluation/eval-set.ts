import type { EvalMetric } from "#kit/evaluation/eval-result.ts";
import type { EvalSet } from "#kit/evaluation/eval-set.ts";
import { modelContent, userContent } from "#kit/events/content.ts";

export const CASES = 500;
export const SET_ID = "bench";
/** A tiny answer, as in the scenario `/run`. */
export const WORDS = "small=1";

const SAMPLES = 5;

/** One of each kind: tool calls, words, and a judge that is asked five times. */
export const METRICS: readonly EvalMetric[] = [
  { metricName: "tool_trajectory_avg_score", threshold: 1 },
  { metricName: "response_match_score", threshold: 0.8 },
  {
    metricName: "final_response_match_v2",
    criterion: { threshold: 0.8, judgeModelOptions: { judgeModel: "bench/judge", numSamples: SAMPLES } },
  },
];

export function evalSet(): EvalSet {
  const evalCases = Array.from({ length: CASES }, (_, index) => ({
    evalId: `case-${index}`,
    conversation: [{ userContent: userContent(WORDS), finalResponse: modelContent("ok") }],
  }));
  return { evalSetId: SET_ID, evalCases, creationTimestamp: 0 };
}
