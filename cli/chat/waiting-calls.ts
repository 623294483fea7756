import type { FunctionCall } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { OpenCalls } from "#kit/events/open-calls.ts";

/** Collects the calls of one conversation that wait for the user, from its events. */
export class WaitingCalls {
  readonly #open = new OpenCalls("any");
  #calls: readonly FunctionCall[] = [];

  add(event: Event): void {
    if (event.partial === true) return;
    this.#open.watch(event);
    const waiting = functionCalls(event).filter(({ id }) => id !== undefined && this.#open.has(id));
    this.#calls = [...this.#calls, ...waiting].filter(({ id }) => id !== undefined && this.#open.has(id));
  }

  /** The waiting calls in the order in which they were made. */
  get list(): readonly FunctionCall[] {
    return this.#calls;
  }
}
