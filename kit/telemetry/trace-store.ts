import type { SessionKey } from "../sessions/session.ts";
import type { SpanRecord } from "./span.ts";

/** Whose traces a reader may see; what is absent is not asked for. */
export interface TraceReader {
  readonly appName?: string;
  readonly userId?: string;
}

/** Recent spans for the debugging routes. Bounded: the oldest traces are dropped. Sessions that share a trace id stay apart. */
export interface TraceStore {
  /** The spans of one run (all of one trace, or a part of it), with the session they belong to. */
  record(session: SessionKey, spans: readonly SpanRecord[]): Promise<void>;
  /** The span that produced the event (model call or tool call), or undefined. */
  byEvent(reader: TraceReader, eventId: string): Promise<SpanRecord | undefined>;
  /**
   * All spans of the session's runs, by start time; empty when none is kept. Throws `TRACE_AMBIGUOUS` where the reader's app and user
   * leave open which session of that id is meant.
   */
  bySession(reader: TraceReader, sessionId: string): Promise<readonly SpanRecord[]>;
}
