import { currentCallScope } from "../security/call-scope.ts";
import { parseTraceParent } from "./trace-context.ts";

/** Of the request or run that this is done for; undefined where no traces are made. */
export function traceIdOfNow(): string | undefined {
  return parseTraceParent(currentCallScope()?.traceParent)?.traceId;
}
