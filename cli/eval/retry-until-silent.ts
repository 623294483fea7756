import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Sleep } from "#kit/platform/sleep.ts";

/** Most failures in a row without progress. */
const MOST_FAILURES = 8;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** After an attempt of this length the failures are counted anew, because the server was reachable for a while. */
const WORK_MS = 60_000;
/** Longest time for all attempts together. */
const TOTAL_MS = 25 * 60 * 60_000;

/** Repeats work whose connection was lost, until the server has been silent for about half a minute. */
export class RetryUntilSilent {
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #until: number;

  constructor({ clock, sleep }: { readonly clock: Clock; readonly sleep: Sleep }) {
    this.#clock = clock;
    this.#sleep = sleep;
    this.#until = clock.monotonic() + TOTAL_MS;
  }

  /** The work calls `progressed` when it has received something new. */
  async repeat<Result>(work: (progressed: () => void) => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures += 1) {
      const startedMs = this.#clock.monotonic();
      try {
        return await work(() => {
          failures = 0;
        });
      } catch (error) {
        const now = this.#clock.monotonic();
        if (now - startedMs > WORK_MS) failures = 1;
        const isLost = error instanceof PlatformError && error.reason === "SERVICE_UNAVAILABLE";
        if (!isLost || failures >= MOST_FAILURES || now > this.#until) throw error;
      }
      await this.#sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(failures - 1, 0)));
    }
  }
}
