import { PlatformError } from "#kit/errors/platform-error.ts";
import { shownMessage } from "#kit/errors/shown-error.ts";
import type { Event } from "#kit/events/event.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { StartedRun } from "./base/started-run.ts";
import { executeRun } from "./execute/execute-run.ts";

/**
 * Executes a run for one reader and yields its events; a reader that stops cancels the run. The run starts with the
 * first read. A failure is thrown after its event.
 */
export async function* followRun(
  start: () => Promise<StartedRun>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  const run = await start();
  const cancel = (): void =>
    run.abort.abort(new PlatformError("RUN_CANCELLED", "The run was cancelled by its caller."));
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  const execution = executeRun(run);
  let step = await execution.next();
  try {
    for (; step.done !== true; step = await execution.next()) for (const { event } of step.value) yield event;
    throwFailure(step.value, run.ending.failure);
  } finally {
    signal?.removeEventListener("abort", cancel);
    if (step.done !== true) {
      cancel();
      while ((await execution.next()).done !== true);
    }
  }
}

const FULL = { errorDetail: "full", place: "this process" } as const;

/**
 * Throws the run's error. An error with a class of its own, such as `LlmCallLimitExceededError`, is thrown unchanged,
 * so that a caller can catch it by type. Any other is the cause of a `RUN_FAILED` error, whose details name its reason.
 */
function throwFailure(record: RunRecord | undefined, failure: PlatformError | undefined): void {
  if (record === undefined)
    throw new PlatformError(
      "LEASE_LOST",
      "This runner lost the run: another runner recovered it, its session was deleted, or the store was unavailable for too long.",
    );
  if (record.error === undefined || record.status === "succeeded" || record.status === "awaiting_input") return;
  if (failure !== undefined && failure.constructor !== PlatformError) throw failure;
  // The caller is a program in this process, not a client: it gets the full text.
  const message = failure === undefined ? record.error.message : shownMessage(failure, FULL);
  throw new PlatformError("RUN_FAILED", message, {
    details: { runId: record.runId, reason: record.error.reason },
    cause: failure?.reason === "INTERNAL" ? failure.cause : failure,
  });
}
