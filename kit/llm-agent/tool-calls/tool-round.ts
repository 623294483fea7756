import type { Event } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { ToolEvents } from "./tool-events.ts";

/** The shared state of the calls of one round. */
export class ToolRound {
  readonly step: StepContext;
  readonly events = new ToolEvents();
  /** Id of the event that will answer the calls; events of their progress have it too. */
  readonly eventId: string;
  /**
   * Why the run has to end after this round: it was aborted, or a callback threw. Calls that have not begun then do not
   * run.
   */
  failure: { readonly reason: unknown } | undefined;
  /** Reject functions of the awaited calls, called when the run is aborted. */
  readonly #waiting: ((reason: unknown) => void)[] = [];
  readonly #abort: () => void;

  constructor(step: StepContext) {
    const { signal, services } = step.context;
    this.step = step;
    this.eventId = services.ids.next();
    this.#abort = () => {
      this.fail(signal.reason);
      for (const reject of this.#waiting) reject(signal.reason);
    };
    // One listener for all calls: there may be many.
    if (signal.aborted) this.#abort();
    else signal.addEventListener("abort", this.#abort);
  }

  /**
   * Settles with the work; rejects when the run is aborted, so that a call which ignores its signal does not delay the
   * run.
   */
  unlessAborted<Result>(work: Promise<Result>): Promise<Result> {
    // Promise.race would create four more promises for each call.
    return new Promise((resolve, reject) => {
      const { signal } = this.step.context;
      if (signal.aborted) reject(signal.reason);
      else this.#waiting.push(reject);
      // A tool in plain JavaScript may return a value instead of a promise.
      Promise.resolve(work).then(resolve, reject);
    });
  }

  readonly emit = (event: Event): Promise<void> => this.events.emit(event);

  fail(reason: unknown): void {
    this.failure ??= { reason };
  }

  [Symbol.dispose](): void {
    this.step.context.signal.removeEventListener("abort", this.#abort);
  }
}
