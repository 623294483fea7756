import type { Clock } from "#kit/platform/clock.ts";

export interface RateBudgetOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** How many there may be after a pause. */
  readonly mostSaved: number;
}

/** Limits how often something happens that callers without credentials can cause. */
export class RateBudget {
  readonly #options: RateBudgetOptions;
  #left: number;
  #countedAt: number;

  constructor(options: RateBudgetOptions) {
    this.#options = options;
    this.#left = options.mostSaved;
    this.#countedAt = options.clock.monotonic();
  }

  /** Whether it may happen once more now. */
  take(): boolean {
    const { clock, perSecond, mostSaved } = this.#options;
    const now = clock.monotonic();
    this.#left = Math.min(mostSaved, this.#left + ((now - this.#countedAt) * perSecond) / 1000);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
