import { invalidField } from "#kit/schema/read-json.ts";
import type { EvalConfig } from "../formats/eval-config.ts";
import { type CustomMetricFunction, createCustomMetric } from "../metrics/custom-metric.ts";
import type { Interval, Metric } from "../metrics/metric.ts";

/** The custom metrics of a config. Throws `INVALID_FIELD` for one without a function. */
export function customMetrics(
  config: EvalConfig,
  functions: Readonly<Record<string, CustomMetricFunction>>,
): readonly Metric[] {
  return Object.entries(config.customMetrics).map(([metricName, { metricInfo, description, codeConfig }]) => {
    const compute = functions[metricName];
    if (compute === undefined)
      throw invalidField(
        `config.customMetrics.${metricName}`,
        `names the function ${codeConfig.name}, which was not given`,
      );
    const interval = metricInfo?.metricValueInfo?.interval;
    const shown = metricInfo?.description ?? description;
    return createCustomMetric(
      {
        metricName,
        description: shown !== undefined && shown !== "" ? shown : undefined,
        metricValueInfo: interval && { interval: { ...CLOSED, ...interval } satisfies Interval },
      },
      compute,
    );
  });
}

const CLOSED = { openAtMin: false, openAtMax: false };
