import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { isHandedOver, isLost, outcomeOf, type RunOutcome } from "#kit/core/context/run-outcome.ts";
import { type PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { errorEvent, exposureOf } from "./fail-run.ts";

/** Stores the run's end, or releases a run that is handed over. Returns undefined if neither could be stored. */
export async function finishRun(
  run: StartedRun,
  context: InvocationContext,
  failure: PlatformError | undefined,
  { status, error }: RunOutcome,
): Promise<RunRecord | undefined> {
  const { writer } = run;
  if (failure !== undefined && isLost(failure)) {
    writer.discardPending();
    return undefined;
  }
  // A closed session accepts no more events, but the run still has to end.
  if (failure?.reason === "SESSION_CLOSED") writer.discardPending();
  try {
    if (isHandedOver(failure)) return await writer.release();
    return await writer.finish(status, error);
  } catch (thrown) {
    writer.discardPending();
    const refusal = toPlatformError(thrown);
    if (refusal.reason === "MESSAGE_TOO_LARGE" && failure?.reason !== "MESSAGE_TOO_LARGE")
      return finishWithoutLast(run, context, refusal);
    logUnfinished(run, thrown);
    return undefined;
  }
}

/**
 * Replaces the last events by an error event. The store would never accept them, so that the run would be recovered,
 * and its model called, again and again.
 */
async function finishWithoutLast(
  run: StartedRun,
  context: InvocationContext,
  refusal: PlatformError,
): Promise<RunRecord | undefined> {
  const { writer } = run;
  await writer.add(errorEvent(context, refusal, exposureOf(run)), { emit: true });
  const { status, error } = outcomeOf(refusal, { exposure: exposureOf(run) });
  try {
    return await writer.finish(status, error);
  } catch (thrown) {
    writer.discardPending();
    logUnfinished(run, thrown);
    return undefined;
  }
}

function logUnfinished({ record, services }: StartedRun, error: unknown): void {
  services.logger.error(
    { error, runId: record.runId, sessionId: record.session.id, ...inTenant(record.session.tenantId) },
    "run could not be finished",
  );
}
