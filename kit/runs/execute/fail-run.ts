import { callAll } from "#kit/core/compose.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { isHandedOver, isLost } from "#kit/core/context/run-outcome.ts";
import { pluginLinks } from "#kit/core/plugin-manager.ts";
import { type PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { type ErrorExposure, shownMessage } from "#kit/errors/shown-error.ts";
import type { Event } from "#kit/events/event.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import { closeCalls } from "./close-open-calls.ts";

/** Turns the thrown error into a stored event, so that the session records the failure and the next turn works. */
export async function failRun(run: StartedRun, context: InvocationContext, thrown: unknown): Promise<PlatformError> {
  const { abort, services, writer, record } = run;
  const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown;
  const error = toPlatformError(cause);
  if (isHandedOver(error)) return error;
  const original = cause instanceof Error ? cause : new Error(String(cause));
  const links = pluginLinks(services, "onRunErrorCallback");
  for (const hookError of await callAll("onRunErrorCallback", links, context, original)) {
    services.logger.warn({ error: hookError, runId: record.runId }, "onRunErrorCallback failed");
  }
  logFailure(run, error);
  if (isLost(error) || error.reason === "SESSION_CLOSED") return error;
  await closeCalls(run, context, { withinTools: true });
  await writer.add(errorEvent(context, error, exposureOf(run)), { emit: true });
  return error;
}

/**
 * The stored event of a failure: one of the kit's reasons, and as much of the text as clients may see. What the model
 * refused stands in it too, because later prompts leave it out.
 */
export function errorEvent(context: InvocationContext, error: PlatformError, exposure: ErrorExposure): Event {
  const { refused } = error.details;
  return context.createEvent({
    errorCode: error.reason,
    errorMessage: shownMessage(error, exposure),
    customMetadata: refused === undefined ? undefined : { refused },
  });
}

export function exposureOf({ services, record }: StartedRun): ErrorExposure {
  return { errorDetail: services.errorDetail, place: `run ${record.runId}` };
}

/** Logs the whole text, which clients may not see. */
function logFailure({ services, record }: StartedRun, error: PlatformError): void {
  const { reason, cause, logDetail } = error;
  const isFault = reason === "INTERNAL" || reason === "CALLBACK_FAILED";
  if (!isFault && cause === undefined && logDetail === undefined) return;
  const fields = { error: reason === "INTERNAL" ? (cause ?? error) : error, reason, runId: record.runId };
  services.logger[isFault ? "error" : "warn"](
    { ...fields, sessionId: record.session.id, ...inTenant(record.session.tenantId) },
    "run failed",
  );
}
