import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "#kit/platform/clock.ts";

const MAX_EVENTS = 64;
const MAX_MS = 5;

/**
 * Yields the event loop when a run produces events without waiting for anything. Only the events of one turn of the
 * loop count: a run that waited for its model or the store has yielded already.
 */
export class Pacer {
  readonly #clock: Clock;
  #events = 0;
  /** When the first event of this turn of the loop was produced. */
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a promise to await when it is time to yield. `hasTurned`: the loop has turned since the last call. */
  step(events: number, hasTurned: boolean): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (hasTurned) {
      this.#events = 0;
      this.#since = now;
    }
    this.#events += events;
    return this.#events < MAX_EVENTS && now - this.#since < MAX_MS ? undefined : nextTurn();
  }
}
