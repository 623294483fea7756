import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, turnOfLoop } from "#kit/platform/clock.ts";

const MAX_EVENTS = 64;
const MAX_MS = 5;

/**
 * Yields the event loop when a run produces events without waiting for anything. A run that waits, as most do for their
 * model, has yielded already; the loop's count of turns shows that, and is read only when a limit is reached.
 */
export class Pacer {
  readonly #clock: Clock;
  #events = 0;
  #since: number;
  #turn = turnOfLoop();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Returns a promise to await when it is time to yield. */
  step(events: number): Promise<void> | undefined {
    this.#events += events;
    const now = this.#clock.monotonic();
    if (this.#events < MAX_EVENTS && now - this.#since < MAX_MS) return undefined;
    if (this.#turn === turnOfLoop()) return this.#yield();
    this.#restart(now);
    return undefined;
  }

  async #yield(): Promise<void> {
    await nextTurn();
    this.#restart(this.#clock.monotonic());
  }

  #restart(now: number): void {
    this.#events = 0;
    this.#since = now;
    this.#turn = turnOfLoop();
  }
}
