import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";

interface Offered {
  readonly event: Event;
  readonly taken: () => void;
  readonly refused: (reason: Error) => void;
}

/**
 * The events that tools emit while they run: progress of streaming tools (`partial` events, only streamed) and the
 * events of agents that serve as tools (complete ones are stored). `emit` offers an event, and `during` yields offered
 * events in order, before the event that answers the calls. When `during` ends, events that are still offered are
 * refused.
 */
export class ToolEvents {
  readonly #offered: Offered[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  /**
   * Resolves when the run has consumed the event: a complete one is part of the session then. Rejects when the round of
   * calls is over.
   */
  emit(event: Event): Promise<void> {
    if (this.#isClosed) return Promise.reject(roundIsOver());
    return new Promise((taken, refused) => {
      this.#offered.push({ event, taken, refused });
      this.#wake?.();
    });
  }

  /** Yields events that are emitted until the work has settled, and returns its result. */
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
      // If the reader stops early, the calls are still awaited; their errors are dropped then.
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
  return new PlatformError("RUN_CANCELLED", "The round of tool calls is over: it accepts no more events.");
}
