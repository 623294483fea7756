import type { InvocationContext } from "../agents/invocation-context.ts";
import { type PlatformError, toPlatformError } from "../errors/platform-error.ts";
import type { Event } from "../events/event.ts";
import { callAll } from "../plugins/compose.ts";
import { closeCalls } from "./close-open-calls.ts";
import { isHandedOver, isLost } from "./run-outcome.ts";
import type { StartedRun } from "./started-run.ts";

/** Turns what was thrown into a stored event, so that the session tells what happened and the next turn works. */
export async function failRun(run: StartedRun, context: InvocationContext, thrown: unknown): Promise<PlatformError> {
  const { abort, services, writer, record } = run;
  const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown;
  const error = toPlatformError(cause);
  if (isHandedOver(error)) return error;
  const original = cause instanceof Error ? cause : new Error(String(cause));
  const links = services.pluginManager.links("onRunErrorCallback");
  for (const hookError of await callAll("onRunErrorCallback", links, context, original)) {
    services.logger.warn({ error: hookError, runId: record.runId }, "onRunErrorCallback failed");
  }
  if (error.reason === "INTERNAL")
    services.logger.error({ error: cause, runId: record.runId, sessionId: record.session.id }, "run failed");
  if (isLost(error) || error.reason === "SESSION_CLOSED") return error;
  await closeCalls(run, context, { withinTools: true });
  await writer.add(errorEvent(context, error, original), { emit: true });
  return error;
}

export function errorEvent(context: InvocationContext, error: PlatformError, original: Error): Event {
  // An error of the agent's own code tells its class and text: its author is the one who reads them.
  const errorCode = error.reason === "INTERNAL" ? original.name : error.reason;
  return context.createEvent({ errorCode, errorMessage: original.message });
}
