import type { SessionKey } from "../sessions/session.ts";
import type { SpanRecord } from "./span.ts";

/** Recent spans for the debugging routes. Bounded: the oldest traces are dropped. */
export interface TraceStore {
  /** The spans of one run (all of one trace, or a part of it), with the session they belong to. */
  record(session: SessionKey, spans: readonly SpanRecord[]): Promise<void>;
  /** The span that produced the event (model call or tool call), or undefined. */
  byEvent(appName: string | undefined, eventId: string): Promise<SpanRecord | undefined>;
  /** All spans of every trace that touched the session, by start time; empty when none is kept. */
  bySession(appName: string | undefined, sessionId: string): Promise<readonly SpanRecord[]>;
}
