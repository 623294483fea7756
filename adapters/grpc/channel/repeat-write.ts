import { isUnavailable } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { sleep } from "#kit/platform/sleep.ts";

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/**
 * Repeats a write while the store is unavailable, for at most `forMs`. Only for writes whose repetition is harmless.
 */
export async function repeatWrite<Result>(
  write: () => Promise<Result>,
  { clock, forMs }: { readonly clock: Clock; readonly forMs: number },
): Promise<Result> {
  const giveUpAt = clock.monotonic() + forMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isUnavailable(error) || clock.monotonic() + pauseMs >= giveUpAt) throw error;
    }
    // Random, so that the writes of many runs are not repeated at the same time.
    await sleep(pauseMs * (0.5 + Math.random() / 2));
  }
}
