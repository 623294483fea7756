import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { withContentNotes } from "./content-notes.ts";

/** A span in the format of the debugging routes: snake case, ids in hex, times in nanoseconds. */
export interface WireSpan {
  readonly name: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly attributes: JsonObject;
}

/**
 * The developer UI drops a whole list of spans if one of them breaks its schema. So invalid values are fixed or left
 * out here: nulls, known keys of the wrong type, operations without the ids they need.
 */
export function toWireSpan(span: SpanRecord, sessionId: string): WireSpan {
  const { name, traceId, spanId, parentSpanId, startTime, endTime } = span;
  return {
    name,
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parentSpanId,
    start_time: toNanoseconds(startTime),
    end_time: toNanoseconds(endTime),
    attributes: withOperationIds(wireAttributes(span), sessionId),
  };
}

/** One span as a flat object, the form of the lookup by event. */
export function toFlatSpan(span: SpanRecord): JsonObject {
  return { ...wireAttributes(span), trace_id: span.traceId, span_id: span.spanId };
}

// A double holds today's nanoseconds to within 256; the UI reads JSON numbers only.
function toNanoseconds(timeMs: number): number {
  return Math.round(timeMs * 1e6);
}

const OPERATION = "gen_ai.operation.name";
const CONVERSATION_ID = "gen_ai.conversation.id";
const EVENT_ID = "gcp.vertex.agent.event_id";
const INVOCATION_ID = "gcp.vertex.agent.invocation_id";

/**
 * Keys whose type the UI checks; another type of value is converted if its meaning is clear, and otherwise left out.
 */
const TYPED_KEYS: Readonly<Record<string, (value: JsonValue) => JsonValue | undefined>> = {
  "gen_ai.usage.input_tokens": toNumber,
  "gen_ai.usage.output_tokens": toNumber,
  "gen_ai.response.finish_reasons": toTexts,
  "gcp.vertex.agent.associated_event_ids": toTexts,
  [OPERATION]: toText,
  [CONVERSATION_ID]: toText,
  [EVENT_ID]: toText,
  [INVOCATION_ID]: toText,
  "gen_ai.agent.name": toText,
  "gen_ai.agent.description": toText,
};

function wireAttributes({ attributes, error }: SpanRecord): Record<string, JsonValue> {
  const wire: Record<string, JsonValue> = {};
  for (const [key, raw] of Object.entries(attributes)) {
    const value = withoutNulls(raw);
    const typed =
      value === undefined
        ? undefined
        : (TYPED_KEYS[key]?.(value) ?? (Object.hasOwn(TYPED_KEYS, key) ? undefined : value));
    if (typed !== undefined) wire[key] = typed;
  }
  if (error !== undefined) wire["error.message"] = error;
  // ADK's servers report their own name here; spans that are exported name the provider instead.
  if ("gen_ai.provider.name" in wire) wire["gen_ai.system"] = "gcp.vertex.agent";
  return withContentNotes(wire);
}

function withOperationIds(attributes: Record<string, JsonValue>, sessionId: string): JsonObject {
  const operation = attributes[OPERATION];
  if (operation === "invoke_agent")
    return { ...attributes, [CONVERSATION_ID]: attributes[CONVERSATION_ID] ?? sessionId };
  const lacksIds = attributes[EVENT_ID] === undefined || attributes[INVOCATION_ID] === undefined;
  if (operation !== "generate_content" || !lacksIds) return attributes;
  // Without its name the UI treats the operation as an ordinary span, which needs no ids.
  const { [OPERATION]: _, ...rest } = attributes;
  return rest;
}

/** Numbers that JSON cannot represent would become null, so they are removed too. */
function withoutNulls(value: JsonValue): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object") return value;
  if (isList(value)) return value.map(withoutNulls).filter((item) => item !== undefined);
  const kept: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) {
    const clean = withoutNulls(item);
    if (clean !== undefined) kept[key] = clean;
  }
  return kept;
}

function toNumber(value: JsonValue): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function toText(value: JsonValue): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function toTexts(value: JsonValue): readonly string[] | undefined {
  if (!isList(value)) return typeof value === "string" ? [value] : undefined;
  return value.map(toText).filter((text) => text !== undefined);
}

// Array.isArray does not narrow to read-only arrays.
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
