import { ERROR_CODES } from "#kit/errors/codes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Sleep } from "#kit/platform/sleep.ts";

interface Waiting {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
}

/** How long a service or store may be unavailable before an evaluation fails. */
const MAX_UNAVAILABLE_MS = 10 * 60 * 1000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5000;

/**
 * Does the work, and repeats it while a service or store that it needs is unavailable. A repetition must have no
 * further effect.
 */
export async function untilAvailable<Result>(
  work: () => Promise<Result>,
  { clock, sleep, signal }: Waiting,
): Promise<Result> {
  const until = clock.monotonic() + MAX_UNAVAILABLE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error) || clock.monotonic() > until) throw error;
    }
    await sleep(pauseMs, signal);
  }
}

/** Whether a later attempt may succeed: a store or service is unavailable, a queue is full, a credential was just replaced. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  if (error.reason === "QUEUE_FULL" || error.reason === "PRINCIPAL_EXPIRED") return true;
  return ERROR_CODES[error.code].unavailable;
}
