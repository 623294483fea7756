import type { RubricScore } from "#kit/evaluation/eval-result.ts";
import type { Rubric } from "#kit/evaluation/eval-set.ts";
import { mean } from "#kit/evaluation/metrics/scores.ts";
import type { JudgeAnswer } from "../ask-judge.ts";
import type { JudgedTurn } from "../judged-turns.ts";
import { normaliseProperty, readRubricVerdicts } from "../parsing/rubric-verdicts.ts";
import { failureRemarks, unreadableRemarks } from "../verdicts.ts";

/** The scores of the rubrics of one turn. The majority of the samples decides each rubric; a tie is a no. */
export function judgeRubrics(answers: readonly JudgeAnswer[], rubrics: readonly Rubric[]): JudgedTurn {
  const failed = failureRemarks(answers);
  if (failed.length > 0) return { score: undefined, remarks: failed };
  const samples = answers.map((answer) => (answer.kind === "answer" ? readSample(answer.text, rubrics) : []));
  const byId = Map.groupBy(samples.flat(), ({ rubricId }) => rubricId);
  const rubricScores = [...byId.values()].flatMap((scores) => decided(scores) ?? []);
  const unreadable = samples.filter((sample) => sample.length === 0).length;
  return {
    score: meanScore(rubricScores),
    remarks: [...unreadableRemarks(unreadable, samples.length), ...missingRemarks(rubricScores, rubrics)],
    rubricScores,
  };
}

/** The mean of each rubric over the turns. */
export function overallRubricScores(turns: readonly JudgedTurn[]): readonly RubricScore[] {
  const byId = Map.groupBy(
    turns.flatMap(({ rubricScores = [] }) => rubricScores),
    ({ rubricId }) => rubricId,
  );
  return [...byId].map(([rubricId, scores]) => {
    const score = meanScore(scores);
    return {
      rubricId,
      rationale: "The mean of the turns, which have the reasons.",
      score,
    };
  });
}

/** Rubrics without a verdict do not count. */
export function meanScore(scores: readonly RubricScore[]): number | undefined {
  return mean(scores.flatMap(({ score }) => score ?? []));
}

/** Verdicts on other properties than the rubrics are left out. */
function readSample(text: string, rubrics: readonly Rubric[]): readonly RubricScore[] {
  const byId = new Map(rubrics.map(({ rubricId }) => [rubricId, rubricId]));
  const byText = new Map(
    rubrics.map((rubric) => [normaliseProperty(rubric.rubricContent.textProperty ?? ""), rubric.rubricId]),
  );
  return readRubricVerdicts(text).flatMap(({ rubricId: given, property, rationale, score }) => {
    const rubricId = byId.get(given ?? "") ?? byText.get(normaliseProperty(property));
    return rubricId === undefined ? [] : [{ rubricId, rationale, score }];
  });
}

function decided(scores: readonly RubricScore[]): RubricScore | undefined {
  const [yes, no] = [1, 0].map((wanted) => scores.filter(({ score }) => score === wanted));
  if (yes === undefined || no === undefined || yes.length + no.length === 0) return scores[0];
  return yes.length > no.length ? yes[0] : no[0];
}

function missingRemarks(scores: readonly RubricScore[], rubrics: readonly Rubric[]): readonly string[] {
  const judged = new Set(scores.filter(({ score }) => score !== undefined).map(({ rubricId }) => rubricId));
  const missing = rubrics.filter(({ rubricId }) => !judged.has(rubricId)).map(({ rubricId }) => rubricId);
  return missing.length === 0 ? [] : [`The judge gave no verdict on: ${missing.join(", ")}.`];
}
