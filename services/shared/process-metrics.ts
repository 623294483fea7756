import { Counter, Gauge, type Registry } from "prom-client";
import type { OtlpExporter } from "./otlp-exporter.ts";
import type { RunTransport } from "./run-transport.ts";

/** Sizes of what this process keeps in memory of runs, read when somebody asks. */
export function addTransportMetrics(registry: Registry, { inMemory }: RunTransport): void {
  if (inMemory === undefined) return;
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge("agentplane_run_stream_bytes", "Size of the run streams kept for replay.", inMemory.bytes);
  gauge("agentplane_trace_spans", "Spans kept for the debugging routes.", inMemory.spans);
}

/** What the export of traces has lost. */
export function addExporterMetrics(registry: Registry, exporter: OtlpExporter): void {
  new Counter({
    name: "agentplane_otlp_spans_dropped_total",
    help: "Spans that were never exported.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(exporter.dropped);
    },
  });
}
