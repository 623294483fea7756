import { collectDefaultMetrics, Registry } from "prom-client";

/** The process's metrics: parts add their own to the registry, and a scrape reads them as Prometheus text. */
export interface Metrics extends Disposable {
  readonly registry: Registry;
  text(): Promise<string>;
}

export function createMetrics(labels: Readonly<Record<string, string>> = {}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  // Memory, CPU, garbage collection and the delay of the event loop.
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    text: () => registry.metrics(),
    [Symbol.dispose]: () => registry.clear(),
  };
}
