import { PlatformError } from "../errors/platform-error.ts";

/** Traces of one user are never returned to a reader who may mean another user. */
export function traceAmbiguous(sessionId: string): PlatformError {
  return new PlatformError(
    "TRACE_AMBIGUOUS",
    "Several users or apps have a session of this id. Name the app in the path (/dev/apps/{appName}/debug/trace/…) and the user in the query (userId).",
    { details: { sessionId } },
  );
}
