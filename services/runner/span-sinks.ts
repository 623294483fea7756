import type { Logger } from "#kit/platform/logger.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { TraceStore } from "#kit/telemetry/trace-store.ts";
import type { SpanSink } from "./deps.ts";

interface Sinks {
  readonly traceStore: TraceStore;
  /** Sends spans elsewhere, when traces are exported. */
  readonly exporter: { add(spans: readonly SpanRecord[]): void } | undefined;
  readonly logger: Logger;
}

/** Where the spans of a run go at its end. */
export function spanSinks({ traceStore, exporter, logger }: Sinks): readonly SpanSink[] {
  const record: SpanSink = (session, spans) => {
    // Losing a trace must not touch the run it is of.
    traceStore.record(session, spans).catch((error: unknown) => logger.warn({ error }, "trace not stored"));
  };
  return exporter === undefined ? [record] : [record, (_session, spans) => exporter.add(spans)];
}
