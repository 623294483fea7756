import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { GatewayDeps } from "../deps.ts";
import { startRun } from "./start-run.ts";

/** Starts the run's request again for this caller, as a new queued run. A run that has not ended is cancelled first. */
export async function requeueRun(
  deps: GatewayDeps,
  run: RunRecord,
  { idempotencyKey, keyId }: { readonly idempotencyKey: string | undefined; readonly keyId: string | undefined },
): Promise<RunRecord> {
  const { session, createdTime, deadline } = run;
  if (!isTerminal(run.status)) await deps.runnerService.cancelRun(run.runId);
  // The stored trace and key belong to the first run's request.
  const { traceParent: _, keyId: __, ...request } = run.request;
  return startRun(deps, {
    session,
    request: { ...request, keyId },
    policy: "enqueue",
    timeoutMs: deadline === undefined ? undefined : Math.max(1, deadline - createdTime),
    idempotencyKey,
  });
}
