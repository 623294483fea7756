import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";

// setTimeout fires immediately for a longer delay.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Aborts the run when it takes longer than its configuration allows; the returned function clears the timer. */
export function limitDuration({ abort, runConfig: { maxDurationMs } }: StartedRun): () => void {
  if (maxDurationMs === undefined) return NOTHING_TO_CALL_OFF;
  const end = (): void =>
    abort.abort(
      new PlatformError("RUN_TIMED_OUT", `The run took longer than ${maxDurationMs} ms (RunConfig.maxDurationMs).`),
    );
  const timer = setTimeout(end, Math.min(maxDurationMs, MAX_TIMER_MS)).unref();
  return () => clearTimeout(timer);
}

const NOTHING_TO_CALL_OFF = (): void => {};
