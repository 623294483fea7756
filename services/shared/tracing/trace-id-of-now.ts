import { currentCallScope } from "../security/call-scope.ts";
import { parseTraceParent } from "./trace-context.ts";

/** The trace id of the current request or run; undefined if no traces are exported. */
export function traceIdOfNow(): string | undefined {
  return parseTraceParent(currentCallScope()?.traceParent)?.traceId;
}
