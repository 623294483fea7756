import { invalidField } from "#kit/schema/read-json.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { EvalMetric } from "../eval-result.ts";
import { FINAL_RESPONSE_MATCH } from "../judges/final-response-match.ts";
import { HALLUCINATIONS } from "../judges/hallucinations.ts";
import { RUBRIC_METRICS } from "../judges/rubrics/rubric-metrics.ts";
import { USER_SIMULATOR_QUALITY } from "../judges/user-simulator-quality.ts";
import { INFERENCE_CALL_COUNT, TOOL_CALL_COUNT } from "../metrics/efficiency/call-counts.ts";
import { INVOCATION_DURATION } from "../metrics/efficiency/invocation-duration.ts";
import { TOKEN_USAGE } from "../metrics/efficiency/token-usage.ts";
import { createManagedMetrics, type ManagedEvaluator } from "../metrics/managed-metrics.ts";
import type { Metric, MetricInfo } from "../metrics/metric.ts";
import { RESPONSE_MATCH } from "../metrics/response-match.ts";
import { TOOL_TRAJECTORY, TOOL_TRAJECTORY_F1 } from "../metrics/tool-trajectory.ts";

const DETERMINISTIC: readonly Metric[] = [TOOL_TRAJECTORY, TOOL_TRAJECTORY_F1, RESPONSE_MATCH];
const JUDGED: readonly Metric[] = [FINAL_RESPONSE_MATCH, ...RUBRIC_METRICS, HALLUCINATIONS, USER_SIMULATOR_QUALITY];
/** Part of every evaluation. */
const EFFICIENCY: readonly Metric[] = [TOOL_CALL_COUNT, INFERENCE_CALL_COUNT, TOKEN_USAGE, INVOCATION_DURATION];

/** The metrics of a registry in addition to the built-in ones. */
export interface MetricRegistryOptions {
  /** Metrics of the app; they replace built-in ones of their name. */
  readonly custom?: readonly Metric[];
  /**
   * The service that computes the managed metrics; if absent, they are not listed, and their results contain the
   * reason.
   */
  readonly managed?: ManagedEvaluator;
  /** No judge model is available: metrics that need one are not listed, and their results contain the reason. */
  readonly withoutJudge?: boolean;
}

/** The metrics of an evaluation, by their names. */
export class MetricRegistry {
  readonly #metrics: ReadonlyMap<string, Metric>;
  readonly #unavailable: ReadonlyMap<string, Metric>;

  constructor({ custom = [], managed, withoutJudge = false }: MetricRegistryOptions = {}) {
    const managedMetrics = byName(createManagedMetrics(managed));
    const available = [
      ...DETERMINISTIC,
      ...(withoutJudge ? [] : JUDGED),
      ...(managed === undefined ? [] : managedMetrics.values()),
      ...EFFICIENCY,
    ];
    this.#metrics = byName([...available, ...custom]);
    this.#unavailable = new Map([...managedMetrics, ...byName(JUDGED)]);
  }

  /**
   * Throws `INVALID_FIELD` for a name that is not known. A metric whose service or judge is missing is returned; its
   * results contain the reason.
   */
  find(name: string): Metric {
    const metric = this.#metrics.get(name) ?? this.#unavailable.get(name);
    if (metric !== undefined) return metric;
    const known = [...this.#metrics.keys()];
    throw invalidField(
      "metricName",
      `"${name}" is not a metric${suggestion(name, known) || `: known are ${known.join(", ")}`}`,
    );
  }

  /** Whether the metric asks a judge model. */
  asksJudge(name: string): boolean {
    return JUDGED.some((metric) => metric === this.#metrics.get(name));
  }

  /** The descriptions of the metrics that can be computed. */
  get infos(): readonly MetricInfo[] {
    return [...this.#metrics.values()].map(({ info }) => info);
  }

  /** The metrics that were asked for, and those of efficiency. */
  complete(metrics: readonly EvalMetric[]): readonly EvalMetric[] {
    const missing = EFFICIENCY.filter(({ info }) => !metrics.some(({ metricName }) => metricName === info.metricName));
    return [...metrics, ...missing.map(({ info }) => ({ metricName: info.metricName }))];
  }
}

function byName(metrics: readonly Metric[]): ReadonlyMap<string, Metric> {
  return new Map(metrics.map((metric) => [metric.info.metricName, metric]));
}
