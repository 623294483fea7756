import type { LiveRequest } from "#kit/core/context/live-request.ts";

/** Requests that a tool has not read; the oldest are dropped beyond it, because a tool must not stop the conversation. */
const MAX_WAITING = 1000;

/**
 * What the client sends while a tool runs, for the tool to read. It begins with the first request after it was created,
 * and ends with the call.
 */
export class LiveInputStream implements AsyncIterable<LiveRequest> {
  readonly #signal: AbortSignal;
  readonly #end: () => void;
  #waiting: LiveRequest[] = [];
  #wake = (): void => {};

  constructor(signal: AbortSignal, end: () => void) {
    this.#signal = signal;
    this.#end = end;
    signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  push(request: LiveRequest): void {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting = this.#waiting.slice(MAX_WAITING / 2);
    this.#waiting.push(request);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveRequest, void, undefined> {
    try {
      while (!this.#signal.aborted) {
        const next = this.#waiting.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#stop();
    }
  }

  #stop(): void {
    this.#end();
    this.#waiting = [];
    this.#wake();
  }
}
