import type { Clock } from "../platform/clock.ts";

/** A clock for tests, whose time changes only by `advance`. */
export class FixedClock implements Clock {
  readonly #start: number;
  #elapsed = 0;

  /** Starts at 2026-01-01T00:00:00Z by default. */
  constructor(startMs = 1_767_225_600_000) {
    this.#start = startMs;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** Moves both times forward by this many milliseconds. */
  advance(ms: number): void {
    this.#elapsed += ms;
  }
}
