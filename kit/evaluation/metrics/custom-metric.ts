import { withDefaults } from "#kit/platform/members.ts";
import { EVAL_STATUS, type EvalMetric, type EvalStatus } from "../eval-result.ts";
import type { ConversationScenario, Invocation } from "../eval-set.ts";
import { failureText } from "./failure-text.ts";
import { infoOf, type Metric, type MetricInfo, type MetricOutcome, type MetricScore } from "./metric.ts";
import { cannotEvaluate, mean, statusOf } from "./scores.ts";

/** The score of a turn as a function of an app gives it. */
export interface CustomScore {
  readonly score?: number;
  /** If absent, the threshold decides. */
  readonly evalStatus?: EvalStatus;
}

/** The result of a custom metric's function: the score of the conversation, or those of its turns, or both. */
export interface CustomScores {
  /** The mean of the turns if it is absent. */
  readonly overallScore?: number;
  readonly overallEvalStatus?: EvalStatus;
  /** One for each turn, or none. */
  readonly perInvocationResults?: readonly CustomScore[];
}

/** A metric that an app computes. A number is the score of the conversation. */
export type CustomMetricFunction = (
  metric: EvalMetric,
  actual: readonly Invocation[],
  expected: readonly Invocation[] | undefined,
  scenario: ConversationScenario | undefined,
) => number | CustomScores | Promise<number | CustomScores>;

/** The name, description and range of a custom metric; from 0 to 1 if nothing else is known. */
export type CustomMetricInfo = Pick<MetricInfo, "metricName"> & Partial<MetricInfo>;

/** A metric that a function computes. What it throws is the reason why the metric has no score. */
export function createCustomMetric(info: CustomMetricInfo, compute: CustomMetricFunction): Metric {
  const { metricName, description = "A metric of the app." } = info;
  return {
    info: withDefaults(infoOf({ metricName, description, maxValue: 1, requiresThreshold: true }), info),
    evaluate: async ({ metric, actual, expected, scenario }) => {
      const returned = await call(metric, () => compute(metric, actual, expected, scenario));
      return outcomeOf(metric, { returned, turns: actual.length });
    },
  };
}

async function call(
  metric: EvalMetric,
  compute: () => ReturnType<CustomMetricFunction>,
): Promise<number | CustomScores> {
  try {
    return await compute();
  } catch (error) {
    throw cannotEvaluate(metric, `failed in its function: ${failureText(error)}`);
  }
}

interface Returned {
  readonly returned: number | CustomScores;
  readonly turns: number;
}

function outcomeOf(metric: EvalMetric, { returned, turns }: Returned): MetricOutcome {
  const given: CustomScores = typeof returned === "number" ? { overallScore: returned } : returned;
  const { perInvocationResults: perTurn = [] } = given;
  if (perTurn.length !== 0 && perTurn.length !== turns)
    throw cannotEvaluate(
      metric,
      `has ${perTurn.length} results for ${turns} turns: its function must return one for each`,
    );
  const overall = given.overallScore ?? mean(perTurn.flatMap(({ score }) => score ?? []));
  return {
    overall: scoreOf(metric, overall, given.overallEvalStatus),
    perInvocation: Array.from({ length: turns }, (_, index) =>
      scoreOf(metric, perTurn[index]?.score, perTurn[index]?.evalStatus),
    ),
  };
}

/** Without a threshold a value is reported, and neither passes nor fails. */
function scoreOf(metric: EvalMetric, score: number | undefined, given: EvalStatus | undefined): MetricScore {
  if (score !== undefined && !Number.isFinite(score))
    throw cannotEvaluate(metric, `has the score ${score}: its function must return numbers`);
  const { criterion, threshold = criterion?.["threshold"] } = metric;
  const own = typeof threshold === "number" ? statusOf(score, threshold) : EVAL_STATUS.INFORMATIONAL;
  return { score, status: given ?? own };
}
