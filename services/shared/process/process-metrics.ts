import { addReadMetric, type MetricRegistry } from "../metrics/metric-registry.ts";
import type { ProcessTransport } from "../transport/run-transport.ts";

/** Sizes of the run data in this process's memory, read at each scrape. */
export function addTransportMetrics(registry: MetricRegistry, { inMemory }: Pick<ProcessTransport, "inMemory">): void {
  if (inMemory === undefined) return;
  addReadMetric("gauge", {
    name: "fairlead_run_stream_bytes",
    help: "Size of the run streams kept for replay.",
    registry,
    read: inMemory.bytes,
  });
  addReadMetric("gauge", {
    name: "fairlead_trace_spans",
    help: "Spans kept for the debugging routes.",
    registry,
    read: inMemory.spans,
  });
}
