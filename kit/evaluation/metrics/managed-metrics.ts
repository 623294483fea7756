import { EVAL_STATUS } from "../eval-result.ts";
import type { Invocation } from "../eval-set.ts";
import { type Metric, type MetricInput, type MetricOutcome, scoredMetric } from "./metric.ts";
import { cannotEvaluate, expectedOf, meanOutcome, statusOf, thresholdOf } from "./scores.ts";

/** A request to a managed service for the score of one turn, or of a whole conversation. */
export interface ManagedRequest {
  readonly metricName: string;
  readonly conversation: readonly Invocation[];
  /** The expected turns, for metrics that compare. */
  readonly reference?: readonly Invocation[];
  readonly signal: AbortSignal;
}

/** A port to a service that computes metrics, such as the one of Google Cloud. */
export interface ManagedEvaluator {
  /** Undefined if the service has no score for the conversation. Throws a `PlatformError` if it fails. */
  score(request: ManagedRequest): Promise<number | undefined>;
}

/** The metrics of a managed service. Without a service, each throws the reason when it is computed. */
export function createManagedMetrics(service: ManagedEvaluator | undefined): readonly Metric[] {
  const each = (input: MetricInput): Promise<MetricOutcome> => scoreTurns(input, serviceOf(service, input));
  const whole = (input: MetricInput): Promise<MetricOutcome> => scoreConversation(input, serviceOf(service, input));
  return [
    scoredMetric(
      "response_evaluation_score",
      "How coherent the answers are, from 1 to 5, as a managed service finds.",
      each,
      5,
    ),
    scoredMetric("safety_v1", "Whether the answers are harmless, as a managed service finds.", each),
    scoredMetric(
      "multi_turn_task_success_v1",
      "Whether the conversation reached its goal, as a managed service finds.",
      whole,
    ),
    scoredMetric(
      "multi_turn_trajectory_quality_v1",
      "How well the steps led to the goal, as a managed service finds.",
      whole,
    ),
    scoredMetric("multi_turn_tool_use_quality_v1", "How well tools were used, as a managed service finds.", whole),
  ];
}

function serviceOf(service: ManagedEvaluator | undefined, { metric }: MetricInput): ManagedEvaluator {
  if (service !== undefined) return service;
  throw cannotEvaluate(metric, "is computed by a managed service of Google Cloud, and this evaluation has none");
}

const COMPARED = "response_evaluation_score";

async function scoreTurns(input: MetricInput, service: ManagedEvaluator): Promise<MetricOutcome> {
  const { metric, actual, signal } = input;
  const expected = metric.metricName === COMPARED ? expectedOf(input) : [];
  const scores = await Promise.all(
    actual.map((turn, index) => {
      const reference = expected.slice(index, index + 1);
      const request = { metricName: metric.metricName, conversation: [turn], signal };
      return service.score(reference.length === 0 ? request : { ...request, reference });
    }),
  );
  return meanOutcome(scores, thresholdOf(metric));
}

/** The last turn has the score; those before it are judged as part of it. */
async function scoreConversation(
  { metric, actual, signal }: MetricInput,
  service: ManagedEvaluator,
): Promise<MetricOutcome> {
  const threshold = thresholdOf(metric);
  const score = await service.score({ metricName: metric.metricName, conversation: actual, signal });
  const overall = { score, status: statusOf(score, threshold) };
  const earlier = actual.slice(1).map(() => ({ status: EVAL_STATUS.NOT_EVALUATED }));
  return { overall, perInvocation: [...earlier, overall] };
}
