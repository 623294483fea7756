import { PlatformError } from "#kit/errors/platform-error.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";

/** About the most characters of JSON of the spans that a session is answered with. */
export const MAX_TRACE_CHARACTERS: number = 4 * 1024 * 1024;

/** The owner whose traces a reader may read; an absent app or user is not checked. */
export interface TraceReader extends TenantScoped {
  readonly appName?: string;
  readonly userId?: string;
}

/**
 * Recent spans for the debugging routes. Bounded: the oldest traces are dropped. Sessions that share a trace id are
 * kept separate.
 */
export interface TraceStore {
  /** Records the spans of one run (all of one trace, or a part of it), with the session they belong to. */
  record(session: SessionKey, spans: readonly SpanRecord[]): Promise<void>;
  /** The span that produced the event (model call or tool call), or undefined. */
  byEvent(reader: TraceReader, eventId: string): Promise<SpanRecord | undefined>;
  /**
   * The spans of the session's runs, by start time; empty if none is kept. Of more than `MAX_TRACE_CHARACTERS` those of the
   * newest traces. Throws `TRACE_AMBIGUOUS` if several sessions
   * with that id match the reader's app and user.
   */
  bySession(reader: TraceReader, sessionId: string): Promise<readonly SpanRecord[]>;
}

/** Traces of one user are never returned to a reader who may mean another user. */
export function traceAmbiguous(sessionId: string): PlatformError {
  return new PlatformError(
    "TRACE_AMBIGUOUS",
    "Several users or apps have a session of this id. Name the app in the path (/dev/apps/{appName}/debug/trace/…) and the user in the query (userId).",
    { details: { sessionId } },
  );
}
