import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { MAX_TRACE_CHARACTERS, type TraceReader, type TraceStore, traceAmbiguous } from "./trace-store.ts";

/** The attribute that names the event a span produced. */
export const EVENT_ID_ATTRIBUTE = "gcp.vertex.agent.event_id";

export interface InMemoryTraceStoreOptions {
  /** The most spans; 10,000 by default, which are those of the last few thousand turns. */
  readonly maxSpans?: number;
  /** The most traces; 5,000 by default. */
  readonly maxTraces?: number;
  /** The most characters of text in attributes, which may contain prompts if that is enabled; 64 Mi by default. */
  readonly maxCharacters?: number;
}

/** Names, ids and times of a span. */
const SPAN_CHARACTERS = 500;

/** The spans that one call of `record` added to a trace. */
interface Part {
  readonly session: SessionKey;
  readonly spans: readonly SpanRecord[];
}

interface Trace {
  readonly traceId: string;
  readonly parts: Part[];
  spanCount: number;
  characters: number;
}

/**
 * Keeps and drops whole traces, the oldest first. Every run writes here and only debugging reads, so writing is one map
 * operation for each run, and reading searches everything that is kept.
 */
export class InMemoryTraceStore implements TraceStore {
  readonly #maxSpans: number;
  readonly #maxTraces: number;
  readonly #maxCharacters: number;
  /** In the order of their first span. */
  readonly #traces = new Map<string, Trace>();
  /** Kept between drops: a new iterator would step over the slots of all traces dropped since the map last grew. */
  #oldestFirst = this.#traces.values();
  #spans = 0;
  #characters = 0;

  constructor(options: InMemoryTraceStoreOptions = {}) {
    this.#maxSpans = options.maxSpans ?? 10_000;
    this.#maxTraces = options.maxTraces ?? 5_000;
    this.#maxCharacters = options.maxCharacters ?? 64 * 1024 * 1024;
  }

  /** How many spans are kept, for metrics. */
  get size(): number {
    return this.#spans;
  }

  record({ tenantId, appName, userId, id }: SessionKey, spans: readonly SpanRecord[]): Promise<void> {
    const session = { ...inTenant(tenantId), appName, userId, id };
    for (let from = 0; from < spans.length; ) {
      const traceId = spans[from]?.traceId ?? "";
      let to = from + 1;
      while (to < spans.length && spans[to]?.traceId === traceId) to += 1;
      this.#add(traceId, { session, spans: from === 0 && to === spans.length ? spans : spans.slice(from, to) });
      from = to;
    }
    while (this.#isOver()) this.#dropOldest();
    return Promise.resolve();
  }

  byEvent(reader: TraceReader, eventId: string): Promise<SpanRecord | undefined> {
    let newest: SpanRecord | undefined;
    for (const trace of this.#traces.values()) {
      for (const { session, spans } of trace.parts) {
        if (!isOf(reader, session)) continue;
        newest = spans.findLast((span) => span.attributes[EVENT_ID_ATTRIBUTE] === eventId) ?? newest;
      }
    }
    return Promise.resolve(newest);
  }

  async bySession(reader: TraceReader, sessionId: string): Promise<readonly SpanRecord[]> {
    const found: SpanRecord[] = [];
    let owner: SessionKey | undefined;
    for (const trace of this.#traces.values()) {
      for (const { session, spans } of trace.parts) {
        if (session.id !== sessionId || !isOf(reader, session)) continue;
        owner ??= session;
        if (!isOf(owner, session)) throw traceAmbiguous(sessionId);
        found.push(...spans);
      }
    }
    return newestSpans(found).sort((left, right) => left.startTime - right.startTime);
  }

  #add(traceId: string, part: Part): void {
    let trace = this.#traces.get(traceId);
    if (trace === undefined) {
      trace = { traceId, parts: [], spanCount: 0, characters: 0 };
      this.#traces.set(traceId, trace);
    }
    const characters = part.spans.reduce((sum, span) => sum + charactersOf(span), 0);
    trace.parts.push(part);
    trace.spanCount += part.spans.length;
    trace.characters += characters;
    this.#spans += part.spans.length;
    this.#characters += characters;
  }

  #isOver(): boolean {
    return (
      this.#spans > this.#maxSpans || this.#traces.size > this.#maxTraces || this.#characters > this.#maxCharacters
    );
  }

  #dropOldest(): void {
    let oldest = this.#oldestFirst.next();
    if (oldest.done === true) {
      this.#oldestFirst = this.#traces.values();
      oldest = this.#oldestFirst.next();
    }
    if (oldest.done === true) return;
    const trace = oldest.value;
    this.#traces.delete(trace.traceId);
    this.#spans -= trace.spanCount;
    this.#characters -= trace.characters;
  }
}

/** The last spans that are within the limit of an answer. */
function newestSpans(spans: readonly SpanRecord[]): SpanRecord[] {
  let characters = 0;
  const first = spans.findLastIndex((span) => {
    characters += SPAN_CHARACTERS + charactersOf(span);
    return characters > MAX_TRACE_CHARACTERS;
  });
  return spans.slice(first + 1);
}

function isOf(reader: TraceReader, session: SessionKey): boolean {
  const { appName = session.appName, userId = session.userId } = reader;
  return tenantOf(reader) === tenantOf(session) && appName === session.appName && userId === session.userId;
}

function charactersOf(span: SpanRecord): number {
  let characters = span.error?.length ?? 0;
  for (const key in span.attributes) {
    const value = span.attributes[key];
    if (typeof value === "string") characters += value.length;
  }
  return characters;
}
