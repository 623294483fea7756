import type { Clock } from "#kit/platform/clock.ts";

const READS_PER_SECOND = 50;
const MOST_SAVED = 100;

/** Limits how often unknown keys are looked up: 50 reads a second, and 100 after a pause. */
export class ReadBudget {
  readonly #clock: Clock;
  #left = MOST_SAVED;
  #countedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAt = clock.monotonic();
  }

  /** Whether there may be one more read now. */
  take(): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(MOST_SAVED, this.#left + ((now - this.#countedAt) * READS_PER_SECOND) / 1000);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
