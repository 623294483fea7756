import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import type { SpanSink } from "../deps.ts";
import { OutageLog } from "./outage-log.ts";

interface Sinks {
  readonly traceStore: TraceStore;
  /** Exports spans; undefined if traces are not exported. */
  readonly exporter: { add(spans: readonly SpanRecord[]): void } | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const OUTAGE = { begins: "trace not stored", ends: "traces are stored again" };

/** The sinks that get the spans of a run at its end. */
export function spanSinks({ traceStore, exporter, clock, logger }: Sinks): readonly SpanSink[] {
  const outage = new OutageLog({ clock, logger, messages: OUTAGE });
  const record: SpanSink = (session, spans) => {
    // A lost trace must not affect its run.
    traceStore.record(session, spans).then(
      () => outage.worked(),
      (error: unknown) => outage.failed(error, { sessionId: session.id }),
    );
  };
  return exporter === undefined ? [record] : [record, (_session, spans) => exporter.add(spans)];
}
