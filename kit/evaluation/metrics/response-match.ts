import { type Metric, scoredMetric } from "./metric.ts";
import { rouge1 } from "./rouge/rouge-1.ts";
import { compareTurns } from "./scores.ts";
import { answerOf } from "./turn-parts.ts";

/** Compares the words of answers with those of the expected answers. */
export const RESPONSE_MATCH: Metric = scoredMetric(
  "response_match_score",
  "How many words the answers share with the expected ones (ROUGE-1 F-measure of their stems).",
  (input) => compareTurns(input, (actual, expected) => rouge1(answerOf(actual), answerOf(expected)).fmeasure),
);
