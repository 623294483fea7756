import type { Event } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import { ToolEvents } from "./tool-events.ts";

/** What the calls that run together share. */
export class ToolRound {
  readonly step: StepContext;
  readonly events = new ToolEvents();
  /** Id of the event that will answer the calls; their progress carries it too. */
  readonly eventId: string;
  /**
   * Why the run has to end after this round: it was aborted, or a callback threw. Calls that have not begun by then do
   * not run.
   */
  failure: { readonly reason: unknown } | undefined;
  /** Those who wait for calls; told when the run is aborted. */
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
   * The work's result; rejects when the run is aborted, so that a call which does not listen to its signal holds nobody
   * up.
   */
  unlessAborted<Result>(work: Promise<Result>): Promise<Result> {
    // Promise.race would make four promises more for each call.
    return new Promise((resolve, reject) => {
      const { signal } = this.step.context;
      if (signal.aborted) reject(signal.reason);
      else this.#waiting.push(reject);
      // A tool in plain JavaScript may give its result at once.
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
