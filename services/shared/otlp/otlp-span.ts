import type { Attributes, HrTime } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { errorType } from "#kit/telemetry/gen-ai-metrics.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { Version } from "#kit/version.ts";
import { CONTENT_KEYS } from "./message-content.ts";
import type { OtlpItems } from "./otlp-connection.ts";

type ExportedSpan = OtlpItems["traces"][number];

// Constants of the OpenTelemetry API, which is not loaded for three numbers.
const KIND_INTERNAL = 0;
const KIND_SERVER = 1;
const KIND_CLIENT = 2;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
export const SAMPLED = 1;

export const SCOPE = { name: "fairlead", version: Version.FAIRLEAD_VERSION };

export function toExportedSpan(span: SpanRecord, resource: Resource): ExportedSpan {
  const { traceId, parentSpanId, startTime, endTime, error } = span;
  const conversation = span.attributes["gen_ai.conversation.id"];
  return {
    name: nameOf(span),
    kind: kindOf(span.attributes),
    spanContext: () => ({ traceId, spanId: span.spanId, traceFlags: SAMPLED }),
    parentSpanContext: parentSpanId === undefined ? undefined : { traceId, spanId: parentSpanId, traceFlags: SAMPLED },
    startTime: toHrTime(startTime),
    endTime: toHrTime(endTime),
    duration: toHrTime(endTime - startTime),
    status: error === undefined ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: error },
    attributes: {
      ...toAttributes(span.attributes),
      // Readers of traces group by this name what the GenAI conventions call a conversation.
      ...(typeof conversation === "string" && { "session.id": conversation }),
      ...(error !== undefined && { "error.type": errorType(span) }),
    },
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

/** The name that the GenAI conventions give a model call; ours has the name that ADK's UI reads. */
function nameOf({ name, attributes }: SpanRecord): string {
  if (name !== "call_llm") return name;
  return `${attributes["gen_ai.operation.name"]} ${attributes["gen_ai.request.model"]}`;
}

function kindOf(attributes: SpanRecord["attributes"]): number {
  if ("gen_ai.request.model" in attributes) return KIND_CLIENT;
  return "http.request.method" in attributes || "rpc.system" in attributes ? KIND_SERVER : KIND_INTERNAL;
}

/** Seconds and nanoseconds. */
export function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.floor((milliseconds - seconds * 1000) * 1e6)];
}

/** Attributes are primitives and lists of one kind of primitive; anything else travels as its JSON. */
export function toAttributes(attributes: Readonly<Record<string, unknown>>): Attributes {
  const converted: Attributes = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || CONTENT_KEYS.has(key)) continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") converted[key] = value;
    else if (value instanceof Error) converted[key] = `${value.name}: ${value.message}`;
    else if (isTextList(value)) converted[key] = [...value];
    else converted[key] = JSON.stringify(value) ?? String(value);
  }
  return converted;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
