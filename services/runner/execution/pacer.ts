import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "#kit/platform/clock.ts";

const MAX_EVENTS = 64;
const MAX_MS = 5;

/** Lets others have the event loop when a run produces without ever waiting. */
export class Pacer {
  readonly #clock: Clock;
  #events = 0;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** A promise to wait for when it is time to let go. */
  step(events: number): Promise<void> | undefined {
    this.#events += events;
    if (this.#events < MAX_EVENTS && this.#clock.monotonic() - this.#since < MAX_MS) return undefined;
    return this.#letGo();
  }

  async #letGo(): Promise<void> {
    await nextTurn();
    this.#events = 0;
    this.#since = this.#clock.monotonic();
  }
}
