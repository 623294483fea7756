import type { Clock } from "#kit/platform/clock.ts";
import { MetricRegistry } from "./metric-registry.ts";
import { openMetricsText, prometheusText } from "./metrics-text.ts";
import { addNodeMetrics } from "./node-metrics.ts";

/** The process's metrics: parts add their own to the registry, and a scrape reads them. */
export interface Metrics extends Disposable {
  readonly registry: MetricRegistry;
  /** The metrics in the format that the scraper's `Accept` header asks for. */
  readonly read: (accept: string | undefined) => MetricsAnswer;
}

export interface MetricsAnswer {
  readonly contentType: string;
  readonly text: string;
}

export interface MetricsOptions {
  readonly clock: Clock;
  /** Keeps traces beside the buckets of histograms, and reports them to scrapers that ask for OpenMetrics. */
  readonly exemplars?: boolean;
}

const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

export function createMetrics({ clock, exemplars = false }: MetricsOptions): Metrics {
  const registry = new MetricRegistry({ keepsExemplars: exemplars });
  const node = addNodeMetrics(registry, clock);
  return {
    registry,
    read: (accept) =>
      exemplars && asksForOpenMetrics(accept)
        ? { contentType: OPEN_METRICS_TYPE, text: openMetricsText(registry) }
        : { contentType: PROMETHEUS_TYPE, text: prometheusText(registry) },
    [Symbol.dispose]: () => node[Symbol.dispose](),
  };
}

/** Scrapers that can read the format put it first, and refuse it with a weight of 0. */
function asksForOpenMetrics(accept = ""): boolean {
  const asked = accept.split(",").find((type) => type.trim().startsWith("application/openmetrics-text"));
  return asked !== undefined && !/;\s*q=0(\.0*)?\s*(;|$)/.test(asked);
}
