import { invalidField } from "#kit/schema/read-json.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { EvalMetric } from "../eval-result.ts";
import { INFERENCE_CALL_COUNT, TOOL_CALL_COUNT } from "../metrics/efficiency/call-counts.ts";
import { INVOCATION_DURATION } from "../metrics/efficiency/invocation-duration.ts";
import { TOKEN_USAGE } from "../metrics/efficiency/token-usage.ts";
import type { Metric, MetricInfo } from "../metrics/metric.ts";
import { RESPONSE_MATCH } from "../metrics/response-match.ts";
import { TOOL_TRAJECTORY, TOOL_TRAJECTORY_F1 } from "../metrics/tool-trajectory.ts";

const DETERMINISTIC: readonly Metric[] = [TOOL_TRAJECTORY, TOOL_TRAJECTORY_F1, RESPONSE_MATCH];
/** Part of every evaluation. */
const EFFICIENCY: readonly Metric[] = [TOOL_CALL_COUNT, INFERENCE_CALL_COUNT, TOKEN_USAGE, INVOCATION_DURATION];

/** The metrics of an evaluation, by their names. */
export class MetricRegistry {
  readonly #metrics: ReadonlyMap<string, Metric>;

  /** The built-in metrics, and further ones, which replace built-in ones of their name. */
  constructor(further: readonly Metric[] = []) {
    const all = [...DETERMINISTIC, ...EFFICIENCY, ...further];
    this.#metrics = new Map(all.map((metric) => [metric.info.metricName, metric]));
  }

  /** Throws `INVALID_FIELD` for a name that is not known. */
  find(name: string): Metric {
    const metric = this.#metrics.get(name);
    if (metric !== undefined) return metric;
    const hint = suggestion(name, [...this.#metrics.keys()]) || `: known are ${[...this.#metrics.keys()].join(", ")}`;
    throw invalidField("metricName", `"${name}" is no known metric${hint.replace(/\.$/, "")}`);
  }

  /** What lists of metrics show. */
  get infos(): readonly MetricInfo[] {
    return [...this.#metrics.values()].map(({ info }) => info);
  }

  /** The metrics that were asked for, and those of efficiency. */
  complete(metrics: readonly EvalMetric[]): readonly EvalMetric[] {
    const missing = EFFICIENCY.filter(({ info }) => !metrics.some(({ metricName }) => metricName === info.metricName));
    return [...metrics, ...missing.map(({ info }) => ({ metricName: info.metricName }))];
  }
}
