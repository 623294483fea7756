import { withMetricNote } from "#kit/evaluation/metric-note.ts";
import { EVAL_STATUS, type MetricDetails, type RubricScore } from "../eval-result.ts";
import type { MetricScore } from "../metrics/metric.ts";
import { statusOf } from "../metrics/scores.ts";

/** The score of one turn as a judge gave it. */
export interface JudgedTurn {
  readonly score: number | undefined;
  readonly remarks: readonly string[];
  readonly rubricScores?: readonly RubricScore[];
}

export function turnScore({ score, remarks, rubricScores }: JudgedTurn, threshold: number): MetricScore {
  const status = statusOf(score, threshold);
  const details = detailsOf(remarks, rubricScores);
  return { score, status, details };
}

/** The score of the conversation, with the remarks on its turns. */
export function overallScore(
  score: number | undefined,
  { threshold, turns, rubricScores }: OverallOptions,
): MetricScore {
  const remarks = turns.flatMap((turn, index) => turn.remarks.map((remark) => `Turn ${index + 1}: ${remark}`));
  return turnScore({ score, remarks, rubricScores }, threshold);
}

interface OverallOptions {
  readonly threshold: number;
  readonly turns: readonly JudgedTurn[];
  readonly rubricScores?: readonly RubricScore[];
}

/** A turn that is judged as part of another. */
export const NOT_JUDGED: MetricScore = { status: EVAL_STATUS.NOT_EVALUATED };

function detailsOf(remarks: readonly string[], rubricScores: readonly RubricScore[] | undefined) {
  const first: MetricDetails | undefined = rubricScores === undefined ? undefined : { rubricScores };
  return remarks.reduce<MetricDetails | undefined>(withMetricNote, first);
}
