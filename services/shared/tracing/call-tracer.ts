import type { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { type ActiveSpan, RunTrace, type TraceParent } from "#kit/telemetry/run-trace.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { formatTraceParent } from "./trace-context.ts";

export interface CallTracerOptions {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Called with each ended span. Must not throw. */
  readonly sink: (spans: readonly SpanRecord[]) => void;
}

/** What a process that exports traces passes to its parts. */
interface Tracing {
  readonly exporter: { add(spans: readonly SpanRecord[]): void } | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** The tracer of a process, to be spread into options; empty if no traces are exported. */
export function tracing({ exporter, clock, ids }: Tracing): { readonly tracer?: CallTracer } {
  if (exporter === undefined) return {};
  return { tracer: new CallTracer({ clock, ids, sink: (spans) => exporter.add(spans) }) };
}

/** Creates the spans of the requests and calls that a process answers. Absent if no traces are exported. */
export class CallTracer {
  readonly #options: CallTracerOptions;

  constructor(options: CallTracerOptions) {
    this.#options = options;
  }

  /** A span of a call that continues a trace or begins one. */
  start(name: string, parent: TraceParent | undefined, attributes: Record<string, JsonValue>): CallSpan {
    const { clock, ids, sink } = this.#options;
    return new CallSpan(new RunTrace(clock, ids, { parent }).start(name, undefined, attributes), sink);
  }
}

export class CallSpan {
  readonly #span: ActiveSpan;
  readonly #sink: CallTracerOptions["sink"];

  constructor(span: ActiveSpan, sink: CallTracerOptions["sink"]) {
    this.#span = span;
    this.#sink = sink;
  }

  get traceId(): string {
    return this.#span.trace.traceId;
  }

  /** The trace context for calls made on behalf of this one. */
  get traceParent(): string {
    return formatTraceParent({ traceId: this.#span.trace.traceId, spanId: this.#span.spanId });
  }

  set(key: string, value: JsonValue): void {
    this.#span.set(key, value);
  }

  /** Only the reason of a failure is recorded: messages may contain a user's data. */
  end(error?: PlatformError): void {
    if (error !== undefined) this.#span.failWith(error.reason);
    this.#span.end();
    this.#sink(this.#span.trace.drain());
  }
}
