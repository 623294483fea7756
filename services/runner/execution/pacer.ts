import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "#kit/platform/clock.ts";

const MAX_EVENTS = 64;
const MAX_MS = 5;

/** Yields the event loop when a run produces events without waiting for anything. */
export class Pacer {
  readonly #clock: Clock;
  #events = 0;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Returns a promise to await when it is time to yield. */
  step(events: number): Promise<void> | undefined {
    this.#events += events;
    if (this.#events < MAX_EVENTS && this.#clock.monotonic() - this.#since < MAX_MS) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await nextTurn();
    this.#events = 0;
    this.#since = this.#clock.monotonic();
  }
}
