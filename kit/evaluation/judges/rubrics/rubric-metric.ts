import type { Invocation, Rubric } from "#kit/evaluation/eval-set.ts";
import { type Metric, type MetricInput, type MetricOutcome, scoredMetric } from "#kit/evaluation/metrics/metric.ts";
import { Judge } from "../ask-judge.ts";
import { type JudgeCriterion, judgeCriterion } from "../judge-criterion.ts";
import { NOT_JUDGED, overallScore, turnScore } from "../judged-turns.ts";
import { effectiveRubrics } from "./effective-rubrics.ts";
import { judgeRubrics, meanScore, overallRubricScores } from "./rubric-scores.ts";

interface RubricMetricOptions {
  readonly name: string;
  readonly description: string;
  /** Rubrics of cases and turns count if they are of this type. */
  readonly rubricType: string;
  /** The prompt of one turn. */
  readonly promptFor: (turn: RubricTurn) => string;
  /** Judges the conversation as a whole, at its last turn. */
  readonly wholeConversation?: boolean;
}

export interface RubricTurn {
  readonly invocation: Invocation;
  /** The conversation up to and with the turn. */
  readonly conversation: readonly Invocation[];
  readonly rubrics: readonly Rubric[];
  readonly criterion: JudgeCriterion;
}

/** A metric that asks a judge whether turns have the properties that rubrics describe. */
export function rubricMetric(options: RubricMetricOptions): Metric {
  return scoredMetric(options.name, options.description, (input) => judge(input, options));
}

async function judge(input: MetricInput, options: RubricMetricOptions): Promise<MetricOutcome> {
  const criterion = judgeCriterion(input.metric);
  const { threshold } = criterion;
  const asked = new Judge(input, criterion.judge);
  const first = options.wholeConversation === true ? input.actual.length - 1 : 0;
  // All rubrics are checked before the first question: if one turn lacks a rubric, no call of the judge is wasted.
  const questions = input.actual.slice(first).map((invocation, index) => {
    const own = { criterion: criterion.rubrics ?? [], turn: invocation.rubrics, type: options.rubricType };
    const rubrics = effectiveRubrics(input.metric, own);
    const conversation = input.actual.slice(0, first + index + 1);
    const prompt = options.promptFor({ invocation, conversation, rubrics, criterion });
    return { rubrics, question: { invocation: first + index, step: "answer", prompt } };
  });
  const turns = await Promise.all(
    questions.map(async ({ rubrics, question }) => judgeRubrics(await asked.askSamples(question), rubrics)),
  );
  const score = meanScore(turns.flatMap(({ rubricScores = [] }) => rubricScores));
  return {
    overall: overallScore(score, { threshold, turns, rubricScores: overallRubricScores(turns) }),
    perInvocation: [
      ...input.actual.slice(0, first).map(() => NOT_JUDGED),
      ...turns.map((turn) => turnScore(turn, threshold)),
    ],
  };
}
