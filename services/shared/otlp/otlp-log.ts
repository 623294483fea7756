import type { Resource } from "@opentelemetry/resources";
import { redactText } from "#kit/errors/redact.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { redactFields } from "../logging/redact-fields.ts";
import { parseTraceParent } from "../tracing/trace-context.ts";
import type { OtlpItems } from "./otlp-connection.ts";
import { type OtlpExporterOptions, OtlpQueue } from "./otlp-exporter.ts";
import { SAMPLED, SCOPE, toAttributes, toHrTime } from "./otlp-span.ts";

type Level = "debug" | "info" | "warn" | "error";

/** A line of the log, or an event of a run. */
export interface LogRecord {
  readonly time: number;
  readonly level: Level;
  readonly message?: string;
  /** Present on events. */
  readonly eventName?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
}

/** Numbers of severities in OpenTelemetry's data model of logs. */
const SEVERITY: Readonly<Record<Level, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

type ExportedLog = OtlpItems["logs"][number];

function toExportedLog(record: LogRecord, resource: Resource): ExportedLog {
  const { time, level, message, eventName, attributes, traceId, spanId } = record;
  const hrTime = toHrTime(time);
  return {
    hrTime,
    hrTimeObserved: hrTime,
    severityNumber: SEVERITY[level],
    severityText: level.toUpperCase(),
    // Values of events are structured; the library takes any JSON.
    attributes: (eventName === undefined ? toAttributes(attributes) : attributes) as ExportedLog["attributes"],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    ...(message !== undefined && { body: message }),
    ...(eventName !== undefined && { eventName }),
    ...(traceId !== undefined && spanId !== undefined && { spanContext: { traceId, spanId, traceFlags: SAMPLED } }),
  };
}

/** Sends lines of the log and events. */
export class OtlpLogExporter extends OtlpQueue<LogRecord, "logs"> {
  constructor(options: OtlpExporterOptions) {
    super(options, { signal: "logs", failure: "log lines cannot be exported", encode: toExportedLog });
  }
}

const RANKS: Readonly<Record<Level | "silent", number>> = { ...SEVERITY, silent: 99 };

interface LogExport {
  readonly exporter: Pick<OtlpLogExporter, "add">;
  readonly clock: Clock;
  readonly level: Level | "silent";
  /** The `traceparent` of the current request or run. */
  readonly traceParent: () => string | undefined;
}

/** A logger whose lines go to a collector too, without what looks like a credential. */
export class ExportingLogger implements Logger {
  readonly #inner: Logger;
  readonly #export: LogExport;
  readonly #fields: LogFields;

  constructor(inner: Logger, options: LogExport, fields: LogFields = {}) {
    this.#inner = inner;
    this.#export = options;
    this.#fields = fields;
  }

  debug(fields: LogFields, message: string): void {
    this.#inner.debug(fields, message);
    this.#record("debug", fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#inner.info(fields, message);
    this.#record("info", fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#inner.warn(fields, message);
    this.#record("warn", fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#inner.error(fields, message);
    this.#record("error", fields, message);
  }

  child(fields: LogFields): Logger {
    return new ExportingLogger(this.#inner.child(fields), this.#export, { ...this.#fields, ...fields });
  }

  #record(level: Level, fields: LogFields, message: string): void {
    const { exporter, clock, level: lowest, traceParent } = this.#export;
    if (RANKS[level] < RANKS[lowest]) return;
    const attributes = redactFields({ ...this.#fields, ...fields });
    const record: LogRecord = { time: clock.now(), level, message: redactText(message), attributes };
    exporter.add([{ ...record, ...parseTraceParent(traceParent()) }]);
  }
}

/** The event with what was said in a model call: the call's attributes, and its content as structured values. */
export function contentEvent(span: SpanRecord, content: Readonly<Record<string, unknown>>): LogRecord {
  const { endTime: time, traceId, spanId } = span;
  const own = Object.entries(span.attributes).filter(([key]) => key.startsWith("gen_ai."));
  const attributes = { ...Object.fromEntries(own), ...content };
  return { time, level: "info", eventName: "gen_ai.client.inference.operation.details", attributes, traceId, spanId };
}
