import type { Clock } from "#kit/platform/clock.ts";

/**
 * When the inputs of one session were sent. Providers that do not report what they have processed are assumed to have
 * processed what is older than the lag.
 */
export class SentTimes {
  readonly #clock: Clock;
  readonly #lagMs: number;
  readonly #recent: { readonly sequence: number; readonly at: number }[] = [];
  #settled = 0;

  constructor(clock: Clock, lagMs: number) {
    this.#clock = clock;
    this.#lagMs = lagMs;
  }

  note(sequence: number): void {
    this.#recent.push({ sequence, at: this.#clock.monotonic() });
    if (this.#recent.length > 100) this.settled();
  }

  /** The last input that is older than the lag; 0 if none is. */
  settled(): number {
    const time = this.#clock.monotonic() - this.#lagMs;
    let count = 0;
    for (const { sequence, at } of this.#recent) {
      if (at > time) break;
      this.#settled = sequence;
      count += 1;
    }
    if (count > 0) this.#recent.splice(0, count);
    return this.#settled;
  }
}
