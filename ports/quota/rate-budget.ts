import type { Clock } from "#kit/platform/clock.ts";

export interface RateBudgetOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** The largest burst after a pause. */
  readonly mostSaved: number;
}

/** A token bucket: limits the rate of what callers without credentials can cause. */
export class RateBudget {
  readonly #options: RateBudgetOptions;
  #left: number;
  #countedAt: number;

  constructor(options: RateBudgetOptions) {
    this.#options = options;
    this.#left = options.mostSaved;
    this.#countedAt = options.clock.monotonic();
  }

  /** Takes one from the budget. Returns false if nothing is left. */
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
