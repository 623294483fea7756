import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import { contentOf, withContent, withoutContent } from "#shared/otlp/message-content.ts";
import { contentEvent, type LogRecord } from "#shared/otlp/otlp-log.ts";
import type { RunnerConfig } from "../config.ts";
import type { SpanSink } from "../deps.ts";
import { OutageLog } from "./outage-log.ts";

interface Sinks {
  readonly traceStore: TraceStore;
  /** Exports spans; undefined if traces are not exported. */
  readonly exporter: { add(spans: readonly SpanRecord[]): void } | undefined;
  /** Exports events with content; undefined if log lines are not exported. */
  readonly logExporter?: { add(events: readonly LogRecord[]): void } | undefined;
  readonly config: ContentConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

type ContentConfig = Pick<RunnerConfig, "TRACE_CONTENT" | "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT">;

const OUTAGE = { begins: "trace not stored", ends: "traces are stored again" };

/** Whether spans have to have content: for the trace routes, or for a collector. */
export function capturesContent(config: ContentConfig): boolean {
  const { onSpans, onEvents } = exportedContent(config);
  return config.TRACE_CONTENT || onSpans || onEvents;
}

/** The sinks that get the spans of a run at its end. */
export function spanSinks({ traceStore, exporter, logExporter, config, clock, logger }: Sinks): readonly SpanSink[] {
  const outage = new OutageLog({ clock, logger, messages: OUTAGE });
  const keepsContent = config.TRACE_CONTENT || !capturesContent(config);
  const record: SpanSink = (session, spans) => {
    // A lost trace must not affect its run.
    traceStore.record(session, keepsContent ? spans : spans.map(withoutContent)).then(
      () => outage.worked(),
      (error: unknown) => outage.failed(error, { sessionId: session.id }),
    );
  };
  const { onSpans, onEvents } = exportedContent(config);
  const sinks: SpanSink[] = [record];
  if (exporter !== undefined) sinks.push((_session, spans) => exporter.add(onSpans ? spans.map(withContent) : spans));
  if (logExporter !== undefined && onEvents) sinks.push((_session, spans) => logExporter.add(spans.flatMap(eventsOf)));
  return sinks;
}

function eventsOf(span: SpanRecord): readonly LogRecord[] {
  const content = contentOf(span);
  if (!("gen_ai.input.messages" in content)) return [];
  return [contentEvent(span, content)];
}

/** Where exported content goes: as the setting says, or else on spans if the trace routes have it. */
function exportedContent(config: ContentConfig): { readonly onSpans: boolean; readonly onEvents: boolean } {
  const { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: given, TRACE_CONTENT } = config;
  const place = given === "" ? String(TRACE_CONTENT) : given;
  return {
    onSpans: ["true", "SPAN_ONLY", "SPAN_AND_EVENT"].includes(place),
    onEvents: ["EVENT_ONLY", "SPAN_AND_EVENT"].includes(place),
  };
}
