import type { TraceParent } from "#kit/telemetry/run-trace.ts";
import { currentCallScope } from "../security/call-scope.ts";

const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;
const MAX_LENGTH = 128;

/** Parses a W3C `traceparent`; undefined for any other text, which starts a new trace. The sampled flag is ignored. */
export function parseTraceParent(text: unknown): TraceParent | undefined {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return undefined;
  const [, traceId, spanId] = TRACE_PARENT.exec(text) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

export function formatTraceParent({ traceId, spanId }: TraceParent): string {
  return `00-${traceId}-${spanId}-01`;
}

/** The trace id of the current request or run; undefined if no traces are exported. */
export function traceIdOfNow(): string | undefined {
  return parseTraceParent(currentCallScope()?.traceParent)?.traceId;
}
