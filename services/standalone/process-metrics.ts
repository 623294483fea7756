import { Counter, Gauge, type Registry } from "prom-client";
import type { InMemoryRunStream } from "#kit/runner/in-memory-run-stream.ts";
import type { InMemoryTraceStore } from "#kit/telemetry/in-memory-trace-store.ts";
import type { OtlpExporter } from "#shared/otlp-exporter.ts";

interface Parts {
  readonly runStream: InMemoryRunStream;
  readonly traceStore: InMemoryTraceStore;
  readonly exporter: OtlpExporter | undefined;
}

/** Sizes of what this process keeps in memory, read when somebody asks. */
export function addProcessMetrics(registry: Registry, { runStream, traceStore, exporter }: Parts): void {
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
  gauge("agentplane_run_stream_bytes", "Size of the run streams kept for replay.", () => runStream.bytes);
  gauge("agentplane_trace_spans", "Spans kept for the debugging routes.", () => traceStore.size);
  if (exporter === undefined) return;
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
