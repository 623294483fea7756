import { inTenant } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RunStreamName } from "./run-stream.ts";

/** Besides its id, a run's name in the stream has these parts. */
export function streamName({ session, streamKey }: Pick<RunRecord, "session" | "streamKey">): RunStreamName {
  return { ...inTenant(session.tenantId), ...(streamKey !== undefined && { streamKey }) };
}
