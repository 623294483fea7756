import type { Attributes, HrTime } from "@opentelemetry/api";
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { Version } from "#kit/version.ts";

/** The exporter's own type of spans: several versions of the SDK may be installed side by side. */
export type ExportedSpan = Parameters<OTLPTraceExporter["export"]>[0][number];

// Constants of the OpenTelemetry API, which is not loaded for three numbers.
const KIND_INTERNAL = 0;
const KIND_SERVER = 1;
const KIND_CLIENT = 2;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
const SAMPLED = 1;

const SCOPE = { name: "fairlead", version: Version.FAIRLEAD_VERSION };

export function toExportedSpan(span: SpanRecord, resource: Resource): ExportedSpan {
  const { name, traceId, parentSpanId, startTime, endTime, error } = span;
  return {
    name,
    kind: kindOf(span.attributes),
    spanContext: () => ({ traceId, spanId: span.spanId, traceFlags: SAMPLED }),
    parentSpanContext: parentSpanId === undefined ? undefined : { traceId, spanId: parentSpanId, traceFlags: SAMPLED },
    startTime: toHrTime(startTime),
    endTime: toHrTime(endTime),
    duration: toHrTime(endTime - startTime),
    status: error === undefined ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: error },
    attributes: toAttributes(span.attributes),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function kindOf(attributes: SpanRecord["attributes"]): number {
  if ("gen_ai.request.model" in attributes) return KIND_CLIENT;
  return "http.request.method" in attributes || "rpc.system" in attributes ? KIND_SERVER : KIND_INTERNAL;
}

/** Seconds and nanoseconds. */
function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

/** Attributes are primitives and lists of one kind of primitive; anything else travels as its JSON. */
function toAttributes(attributes: SpanRecord["attributes"]): Attributes {
  const converted: Attributes = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) continue;
    if (typeof value !== "object") converted[key] = value;
    else if (isTextList(value)) converted[key] = [...value];
    else converted[key] = JSON.stringify(value);
  }
  return converted;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
