import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";

interface Offered {
  readonly event: Event;
  readonly taken: () => void;
  readonly refused: (reason: Error) => void;
}

/**
 * What tools say while they run: progress of streaming tools (`partial` events, only streamed) and the events of agents
 * that serve as tools (complete ones are stored). The flow yields them in the order in which they came, before the
 * event that answers the calls.
 */
export class ToolEvents {
  readonly #offered: Offered[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  /**
   * Resolves when the run has taken the event: a complete one is then part of the session. Rejects when the round of
   * calls is over.
   */
  emit(event: Event): Promise<void> {
    if (this.#isClosed) return Promise.reject(roundIsOver());
    return new Promise((taken, refused) => {
      this.#offered.push({ event, taken, refused });
      this.#wake?.();
    });
  }

  /** Gives what is emitted while the work goes on, and then what came of it. */
  async *during<Result>(work: Promise<Result>): AsyncGenerator<Event, Result, undefined> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      this.#wake?.();
    };
    work.then(settle, settle);
    try {
      for (;;) {
        const next = this.#offered[0];
        if (next !== undefined) {
          yield next.event;
          this.#offered.shift();
          next.taken();
        } else if (isSettled) return await work;
        else await this.#change();
      }
    } finally {
      this.#isClosed = true;
      for (const { refused } of this.#offered) refused(roundIsOver());
      // Who stops reading early still leaves no call running behind it; what the calls throw then has no reader.
      if (!isSettled) await work.catch(() => undefined);
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function roundIsOver(): PlatformError {
  return new PlatformError("RUN_CANCELLED", "The round of tool calls is over: nobody takes events of it any more.");
}
