import { metricNotes, withMetricNote } from "#kit/evaluation/metric-note.ts";
import {
  EVAL_STATUS,
  type EvalCaseResult,
  type EvalMetric,
  type EvalMetricResult,
  type EvalStatus,
} from "../eval-result.ts";
import type { EvalCase, Invocation } from "../eval-set.ts";
import { failureText } from "../metrics/failure-text.ts";
import type { AskJudge } from "../metrics/judge.ts";
import type { MetricOutcome, MetricScore } from "../metrics/metric.ts";
import { assertSameLength, cannotEvaluate } from "../metrics/scores.ts";
import type { MetricRegistry } from "./metric-registry.ts";

/** The case to evaluate, what the agent did, and by which metrics to score it. */
export interface EvaluateCaseRequest {
  readonly evalCase: EvalCase;
  /** The turns as the agent has run them. */
  readonly actualInvocations: readonly Invocation[];
  /** The metrics of efficiency are added. */
  readonly metrics: readonly EvalMetric[];
  readonly registry: MetricRegistry;
  /** Absent: metrics that need a judge are not evaluated, and their results contain the reason. */
  readonly judges?: AskJudge | undefined;
  readonly signal: AbortSignal;
}

/** The scores of a case, as its result has them. */
export type CaseScores = Pick<
  EvalCaseResult,
  "finalEvalStatus" | "overallEvalMetricResults" | "evalMetricResultPerInvocation"
>;

/**
 * Evaluates what an agent did in the turns of a case. Its only I/O are calls of the judge. It asks each question once,
 * under a key that is the same in a repeated evaluation. If a metric fails, its result contains the reason, and the
 * other metrics are not affected. Throws only if the signal is aborted.
 */
export async function evaluateCase(request: EvaluateCaseRequest): Promise<CaseScores> {
  const { evalCase, metrics, registry, signal } = request;
  const actual = withRubrics(evalCase, request.actualInvocations);
  const scored = await Promise.all(
    registry
      .complete(metrics)
      .map(async (metric) => ({ metric, outcome: await scoresOf(metric, { ...request, actual }) })),
  );
  signal.throwIfAborted();
  const overall = scored.map(({ metric, outcome }) => toResult(metric, outcome.overall));
  return {
    finalEvalStatus: finalStatus(overall),
    overallEvalMetricResults: overall,
    evalMetricResultPerInvocation: actual.map((actualInvocation, index) => {
      const expectedInvocation = evalCase.conversation?.[index];
      return {
        actualInvocation,
        expectedInvocation,
        evalMetricResults: scored.map(({ metric, outcome }) =>
          toResult(metric, outcome.perInvocation[index] ?? NOT_EVALUATED),
        ),
      };
    }),
  };
}

/**
 * FAILED if a metric failed, else PASSED if one passed, else NOT_EVALUATED. Metrics with another status are ignored.
 */
export function finalStatus(results: readonly Pick<EvalMetricResult, "evalStatus">[]): EvalStatus {
  const decisive = [EVAL_STATUS.FAILED, EVAL_STATUS.PASSED];
  return (
    decisive.find((status) => results.some(({ evalStatus }) => evalStatus === status)) ?? EVAL_STATUS.NOT_EVALUATED
  );
}

const NOT_EVALUATED: MetricScore = { status: EVAL_STATUS.NOT_EVALUATED };

async function scoresOf(
  metric: EvalMetric,
  { evalCase, registry, judges, signal, actual }: EvaluateCaseRequest & { readonly actual: readonly Invocation[] },
): Promise<MetricOutcome> {
  try {
    const { conversation: expected, conversationScenario: scenario, evalId } = evalCase;
    const ask = judges ?? (() => Promise.reject(cannotEvaluate(metric, "asks a judge model, and none is given")));
    const known = registry.find(metric.metricName);
    if (actual.length === 0) throw cannotEvaluate(metric, "has nothing to evaluate: the conversation has no turn");
    assertSameLength(actual, expected);
    const outcome = await known.evaluate({ metric, evalId, actual, expected, scenario, ask, signal });
    return explained(metric, outcome);
  } catch (error) {
    signal.throwIfAborted();
    const failed = { ...NOT_EVALUATED, details: withMetricNote(undefined, failureText(error)) };
    return { overall: failed, perInvocation: actual.map(() => failed) };
  }
}

/** Adds the reason to a metric without a score, unless the metric has given one itself. */
function explained({ metricName }: EvalMetric, outcome: MetricOutcome): MetricOutcome {
  const { overall } = outcome;
  if (overall.status !== EVAL_STATUS.NOT_EVALUATED || metricNotes(overall).length > 0) return outcome;
  const remark = `${metricName} has a score for none of the turns.`;
  return { ...outcome, overall: { ...overall, details: withMetricNote(overall.details, remark) } };
}

function toResult(metric: EvalMetric, { score, status, details }: MetricScore): EvalMetricResult {
  return { ...metric, score, evalStatus: status, details: details ?? {} };
}

/** The rubrics of the case and of the expected turn count for what the agent did. */
function withRubrics(evalCase: EvalCase, actual: readonly Invocation[]): readonly Invocation[] {
  return actual.map((invocation, index) => {
    const rubrics = [...(evalCase.rubrics ?? []), ...(evalCase.conversation?.[index]?.rubrics ?? [])];
    return rubrics.length === 0 ? invocation : { ...invocation, rubrics };
  });
}
