import type { SessionKey } from "../sessions/session.ts";
import type { SpanRecord } from "./span.ts";
import type { TraceStore } from "./trace-store.ts";

/** The attribute that names the event a span produced. */
export const EVENT_ID_ATTRIBUTE = "gcp.vertex.agent.event_id";

export interface InMemoryTraceStoreOptions {
  /** Default 20,000: the last few thousand turns. */
  readonly maxSpans?: number;
  /** Default 10,000. */
  readonly maxTraces?: number;
  /** Bounds the text in attributes, which may hold prompts when that is switched on; default 64 Mi characters. */
  readonly maxCharacters?: number;
}

interface StoredSpan {
  readonly appName: string;
  readonly span: SpanRecord;
}

interface Trace {
  readonly traceId: string;
  readonly spans: StoredSpan[];
  readonly sessions: SessionKey[];
  characters: number;
}

/** Keeps whole traces and drops whole traces, the oldest first. Recording a span is a few map operations. */
export class InMemoryTraceStore implements TraceStore {
  readonly #maxSpans: number;
  readonly #maxTraces: number;
  readonly #maxCharacters: number;
  /** In the order of their first span. */
  readonly #traces = new Map<string, Trace>();
  /**
   * The newest span of each event id. Ids are unique within an app only: when two apps share one, the older app's span moves to
   * a key that names its app as well.
   */
  readonly #byEvent = new Map<string, StoredSpan>();
  readonly #bySession = new Map<string, Set<Trace>>();
  /** Kept between drops: a new iterator would step over the slots of all that was dropped since the map last grew. */
  #oldestFirst = this.#traces.values();
  #spans = 0;
  #characters = 0;

  constructor(options: InMemoryTraceStoreOptions = {}) {
    this.#maxSpans = options.maxSpans ?? 20_000;
    this.#maxTraces = options.maxTraces ?? 10_000;
    this.#maxCharacters = options.maxCharacters ?? 64 * 1024 * 1024;
  }

  /** How many spans are kept, for metrics. */
  get size(): number {
    return this.#spans;
  }

  record(session: SessionKey, spans: readonly SpanRecord[]): Promise<void> {
    for (const span of spans) this.#add(session, span);
    while (this.#isOver()) this.#dropOldest();
    return Promise.resolve();
  }

  byEvent(appName: string | undefined, eventId: string): Promise<SpanRecord | undefined> {
    const newest = this.#byEvent.get(eventId);
    if (appName === undefined || newest?.appName === appName) return Promise.resolve(newest?.span);
    return Promise.resolve(this.#byEvent.get(eventKey(appName, eventId))?.span);
  }

  bySession(appName: string | undefined, sessionId: string): Promise<readonly SpanRecord[]> {
    const spans: SpanRecord[] = [];
    for (const trace of this.#bySession.get(sessionId) ?? []) {
      const touches = trace.sessions.some(
        ({ id, appName: app }) => id === sessionId && (appName === undefined || app === appName),
      );
      if (touches) for (const { span } of trace.spans) spans.push(span);
    }
    return Promise.resolve(spans.sort((left, right) => left.startTime - right.startTime));
  }

  #add(session: SessionKey, span: SpanRecord): void {
    const trace = this.#traceOf(span.traceId);
    this.#link(trace, session);
    const stored: StoredSpan = { appName: session.appName, span };
    trace.spans.push(stored);
    this.#spans += 1;
    const characters = charactersOf(span);
    trace.characters += characters;
    this.#characters += characters;
    const eventId = eventIdOf(span);
    if (eventId === undefined) return;
    const older = this.#byEvent.get(eventId);
    if (older !== undefined && older.appName !== stored.appName)
      this.#byEvent.set(eventKey(older.appName, eventId), older);
    this.#byEvent.set(eventId, stored);
  }

  #traceOf(traceId: string): Trace {
    const known = this.#traces.get(traceId);
    if (known !== undefined) return known;
    const trace: Trace = { traceId, spans: [], sessions: [], characters: 0 };
    this.#traces.set(traceId, trace);
    return trace;
  }

  #link(trace: Trace, { appName, userId, id }: SessionKey): void {
    for (const known of trace.sessions)
      if (known.id === id && known.userId === userId && known.appName === appName) return;
    trace.sessions.push({ appName, userId, id });
    const traces = this.#bySession.get(id);
    if (traces === undefined) this.#bySession.set(id, new Set([trace]));
    else traces.add(trace);
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
    this.#spans -= trace.spans.length;
    this.#characters -= trace.characters;
    for (const { id } of trace.sessions) this.#unlink(trace, id);
    for (const stored of trace.spans) this.#unindex(stored);
  }

  #unlink(trace: Trace, sessionId: string): void {
    const traces = this.#bySession.get(sessionId);
    traces?.delete(trace);
    if (traces?.size === 0) this.#bySession.delete(sessionId);
  }

  #unindex(stored: StoredSpan): void {
    const eventId = eventIdOf(stored.span);
    if (eventId === undefined) return;
    if (this.#byEvent.get(eventId) === stored) {
      this.#byEvent.delete(eventId);
      return;
    }
    const key = eventKey(stored.appName, eventId);
    if (this.#byEvent.get(key) === stored) this.#byEvent.delete(key);
  }
}

function eventIdOf(span: SpanRecord): string | undefined {
  const eventId = span.attributes[EVENT_ID_ATTRIBUTE];
  return typeof eventId === "string" && eventId !== "" ? eventId : undefined;
}

/** Starts with a character that no identifier may hold, so that it is never an event id. */
function eventKey(appName: string, eventId: string): string {
  return `\u0000${appName}\u0000${eventId}`;
}

function charactersOf(span: SpanRecord): number {
  let characters = span.error?.length ?? 0;
  for (const key in span.attributes) {
    const value = span.attributes[key];
    if (typeof value === "string") characters += value.length;
  }
  return characters;
}
