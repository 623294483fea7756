import type { JsonValue } from "../platform/json.ts";

export type SpanAttributes = Readonly<Record<string, JsonValue>>;

/** A finished span. Ids are lower-case hex (W3C Trace Context): 32 digits for the trace, 16 for the span. */
export interface SpanRecord {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Milliseconds since the epoch, with a fraction. */
  readonly startTime: number;
  readonly endTime: number;
  readonly attributes: SpanAttributes;
  /** Set when the work failed. */
  readonly error?: string;
}
