import { GEN_AI_METRICS, type GenAiMetric, type MetricObserver } from "#kit/telemetry/gen-ai-metrics.ts";
import { createHistogram, type MetricRegistry } from "./metric-registry.ts";

type Attributes = Readonly<Record<string, string>>;
type Observe = (value: number, attributes: Attributes, traceId: string | undefined) => void;

/**
 * Reports the kit's histograms of models, tools and agents under Prometheus names: dots become underscores, units a
 * suffix.
 */
export function createGenAiMetrics(registry: MetricRegistry): MetricObserver {
  // The type of Object.keys is wider than the table's names.
  const names = Object.keys(GEN_AI_METRICS) as GenAiMetric[];
  const observers = new Map(names.map((name) => [name, createObserver(name, registry)]));
  return {
    record: (metric, value, attributes, traceId) => observers.get(metric)?.(value, attributes, traceId),
  };
}

function createObserver(name: GenAiMetric, registry: MetricRegistry): Observe {
  const { attributes, buckets, description, unit } = GEN_AI_METRICS[name];
  const histogram = createHistogram<string>({
    name: `${toLabel(name)}${unit === "s" ? "_seconds" : ""}`,
    help: description,
    labelNames: attributes.map(toLabel),
    buckets,
    registry,
    otel: { name, unit, attributes },
  });
  const children = new Map<string, ReturnType<typeof histogram>>();
  return (value, given, traceId) => {
    let key = "";
    for (const attribute of attributes) key += `${given[attribute] ?? ""}\n`;
    let child = children.get(key);
    if (child === undefined) {
      child = histogram(
        Object.fromEntries(attributes.map((attribute) => [toLabel(attribute), given[attribute] ?? ""])),
      );
      children.set(key, child);
    }
    child.observe(value, traceId);
  };
}

function toLabel(name: string): string {
  return name.replaceAll(".", "_");
}
