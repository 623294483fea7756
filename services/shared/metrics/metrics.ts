import type { Metric, Registry } from "prom-client";
import { lazy } from "#kit/platform/lazy.ts";
import type { MetricRegistry } from "./hot-metrics.ts";
import { openMetricsText } from "./open-metrics-text.ts";

/** The process's metrics: parts add their own to the registry, and a scrape reads them. */
export interface Metrics extends Disposable {
  readonly registry: MetricRegistry;
  /** As Prometheus text. */
  text(): Promise<string>;
  /** In the form that the scraper's `Accept` asks for. */
  read(accept: string | undefined): Promise<MetricsAnswer>;
}

export interface MetricsAnswer {
  readonly contentType: string;
  readonly text: string;
}

export interface MetricsOptions {
  /** Keeps traces beside histograms' buckets, and shows them to scrapers that ask for OpenMetrics. */
  readonly exemplars?: boolean;
}

const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/** The library is not needed to count, only to be read: loading it does not hold up the start. Soon enough for the first scrape. */
const LOAD_AFTER_MS = 2000;

export function createMetrics({ exemplars = false }: MetricsOptions = {}): Metrics {
  const metrics: Metric[] = [];
  let registry: Registry | undefined;
  const load = lazy(async (): Promise<Registry> => {
    const made = await loadLibrary();
    for (const metric of metrics) made.registerMetric(metric);
    registry = made;
    return made;
  });
  // A failure is told to whoever asks for the text.
  const timer = setTimeout(() => void load().catch(() => {}), LOAD_AFTER_MS).unref();
  return {
    registry: {
      keepsExemplars: exemplars,
      registerMetric: (metric) => {
        if (registry === undefined) metrics.push(metric);
        else registry.registerMetric(metric);
      },
    },
    text: async () => (await load()).metrics(),
    read: async (accept) => {
      const loaded = await load();
      if (!exemplars || !asksForOpenMetrics(accept))
        return { contentType: PROMETHEUS_TYPE, text: await loaded.metrics() };
      const all = loaded.getMetricsAsArray();
      // Typed as descriptions of metrics, they are the metrics themselves.
      return { contentType: OPEN_METRICS_TYPE, text: await openMetricsText(all as unknown as readonly Metric[]) };
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      registry?.clear();
    },
  };
}

/** Scrapers that can read the form put it first, and refuse it with a weight of 0. */
function asksForOpenMetrics(accept = ""): boolean {
  const asked = accept.split(",").find((type) => type.trim().startsWith("application/openmetrics-text"));
  return asked !== undefined && !/;\s*q=0(\.0*)?\s*(;|$)/.test(asked);
}

async function loadLibrary(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  // Memory, CPU, garbage collection and the delay of the event loop.
  collectDefaultMetrics({ register: registry });
  return registry;
}
