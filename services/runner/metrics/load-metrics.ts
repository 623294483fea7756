import { addReadMetric, type MetricRegistry } from "#shared/metrics/metric-registry.ts";
import type { RunnerLoad } from "./run-observer.ts";

/** Gauges of queued runs and busy slots, read at each scrape. */
export function addLoadMetrics(registry: MetricRegistry, read: () => RunnerLoad): void {
  addGauge(registry, "fairlead_run_slots_busy", "Slots for runs that are taken.", () => read().busySlots);
  addGauge(registry, "fairlead_runs_queued", "Runs that wait for their session or for a slot.", () => read().queued);
  addGauge(
    registry,
    "fairlead_runs_queued_oldest_seconds",
    "Time that the first of the queued runs has waited.",
    () => read().oldestQueuedMs / 1000,
  );
}

function addGauge(registry: MetricRegistry, name: string, help: string, read: () => number): void {
  addReadMetric("gauge", { registry, name, help, read });
}
