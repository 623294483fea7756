import type { Metric, Registry } from "prom-client";
import type { MetricRegistry } from "./hot-metrics.ts";

/** The process's metrics: parts add their own to the registry, and a scrape reads them as Prometheus text. */
export interface Metrics extends Disposable {
  readonly registry: MetricRegistry;
  text(): Promise<string>;
}

/** The library is not needed to count, only to be read: loading it does not hold up the start. Soon enough for the first scrape. */
const LOAD_AFTER_MS = 2000;

export function createMetrics(): Metrics {
  const metrics: Metric[] = [];
  let registry: Registry | undefined;
  let loading: Promise<Registry> | undefined;
  const load = (): Promise<Registry> => {
    loading ??= loadLibrary().then((made) => {
      for (const metric of metrics) made.registerMetric(metric);
      registry = made;
      return made;
    });
    return loading;
  };
  // A failure is told to whoever asks for the text.
  const timer = setTimeout(() => void load().catch(() => {}), LOAD_AFTER_MS).unref();
  return {
    registry: {
      registerMetric: (metric) => {
        if (registry === undefined) metrics.push(metric);
        else registry.registerMetric(metric);
      },
    },
    text: async () => (await load()).metrics(),
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      registry?.clear();
    },
  };
}

async function loadLibrary(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  // Memory, CPU, garbage collection and the delay of the event loop.
  collectDefaultMetrics({ register: registry });
  return registry;
}
