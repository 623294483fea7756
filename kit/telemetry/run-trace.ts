import { toPlatformError } from "../errors/platform-error.ts";
import { redactText } from "../errors/redact.ts";
import { type ErrorExposure, shownMessage } from "../errors/shown-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { IdGenerator } from "../platform/id-generator.ts";
import type { JsonValue } from "../platform/json.ts";
import type { SpanRecord } from "./span.ts";

const SPAN_PREFIX_DIGITS = 11;
const SPAN_INDEX_DIGITS = 5;

/** The parent of a run's trace, if the request had a W3C `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
}

export interface RunTraceOptions {
  readonly parent?: TraceParent | undefined;
  /** How much of an error spans contain; by default nothing of an exception's text. */
  readonly exposure?: ErrorExposure;
}

const GENERIC: ErrorExposure = { errorDetail: "generic", place: "this trace" };

/** Collects the spans of one run. Contexts are passed explicitly: nothing is attached to the async stack. */
export class RunTrace {
  readonly traceId: string;
  readonly #finished: SpanRecord[] = [];
  readonly #clock: Clock;
  readonly #wallOffset: number;
  readonly #spanPrefix: string;
  readonly #parent: TraceParent | undefined;
  readonly #exposure: ErrorExposure;
  #spanCount = 0;

  constructor(clock: Clock, ids: IdGenerator, { parent, exposure = GENERIC }: RunTraceOptions = {}) {
    this.#clock = clock;
    this.#wallOffset = clock.now() - clock.monotonic();
    const digits = ids.next().replaceAll("-", "");
    this.traceId = parent?.traceId ?? digits.padStart(32, "0").slice(-32);
    this.#spanPrefix = digits.slice(-SPAN_PREFIX_DIGITS).padStart(SPAN_PREFIX_DIGITS, "0");
    this.#parent = parent;
    this.#exposure = exposure;
  }

  start(name: string, parent: ActiveSpan | undefined, attributes: Record<string, JsonValue>): ActiveSpan {
    this.#spanCount += 1;
    const index = this.#spanCount.toString(16).padStart(SPAN_INDEX_DIGITS, "0").slice(-SPAN_INDEX_DIGITS);
    return new ActiveSpan(this, name, this.#spanPrefix + index, parent?.spanId ?? this.#parent?.spanId, attributes);
  }

  /** Milliseconds since the epoch, with a fraction, monotonic within the run. */
  now(): number {
    return this.#wallOffset + this.#clock.monotonic();
  }

  /** The class of the thrown value, and as much of its text as spans may contain. */
  describe(thrown: unknown): string {
    const name = thrown instanceof Error ? redactText(thrown.name) : typeof thrown;
    const shown = shownMessage(toPlatformError(thrown), this.#exposure);
    return shown.startsWith(`${name}: `) ? shown : `${name}: ${shown}`;
  }

  finish(span: SpanRecord): void {
    this.#finished.push(span);
  }

  /** The spans that ended since the last call. */
  drain(): readonly SpanRecord[] {
    return this.#finished.splice(0);
  }

  get finishedCount(): number {
    return this.#finished.length;
  }
}

/** A span that has not ended. */
export class ActiveSpan {
  readonly spanId: string;
  readonly trace: RunTrace;
  readonly #name: string;
  readonly parentSpanId: string | undefined;
  #attributes: Record<string, JsonValue>;
  #startTime: number;
  #error: string | undefined;
  #ended = false;

  constructor(
    trace: RunTrace,
    name: string,
    spanId: string,
    parentSpanId: string | undefined,
    attributes: Record<string, JsonValue>,
  ) {
    this.trace = trace;
    this.spanId = spanId;
    this.#name = name;
    this.parentSpanId = parentSpanId;
    this.#attributes = attributes;
    this.#startTime = trace.now();
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.trace.now() - this.#startTime;
  }

  /** W3C's `traceparent` for what is done on behalf of the span. */
  get traceParent(): string {
    return `00-${this.trace.traceId}-${this.spanId}-01`;
  }

  /** Starts the time anew, with these attributes: for a span that is made before its work begins. */
  begin(attributes: Record<string, JsonValue>): void {
    this.#attributes = attributes;
    this.#startTime = this.trace.now();
  }

  child(name: string, attributes: Record<string, JsonValue>): ActiveSpan {
    return this.trace.start(name, this, attributes);
  }

  get(key: string): JsonValue | undefined {
    return this.#attributes[key];
  }

  set(key: string, value: JsonValue | undefined): void {
    if (value !== undefined && value !== null) this.#attributes[key] = value;
  }

  fail(error: unknown): void {
    this.#error = this.trace.describe(error);
  }

  /** Marks the span as failed with a text of our own, such as an error's reason. */
  failWith(text: string): void {
    this.#error = text;
  }

  /** Ends the span; only the first call counts. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const record = {
      name: this.#name,
      traceId: this.trace.traceId,
      spanId: this.spanId,
      startTime: this.#startTime,
      endTime: this.trace.now(),
      attributes: this.#attributes,
    };
    const placed = this.parentSpanId === undefined ? record : { ...record, parentSpanId: this.parentSpanId };
    this.trace.finish(this.#error === undefined ? placed : { ...placed, error: this.#error });
  }
}
