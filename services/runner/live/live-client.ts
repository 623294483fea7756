import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { LiveInput } from "#ports/runs/live-runner-service.ts";

/**
 * The client of one live run in this process: the queue of its messages, and the newest call that brings them. Calls
 * may follow each other, for example when a gateway is replaced; messages that an earlier call has brought are skipped.
 */
export class LiveClient {
  readonly queue: LiveRequestQueue;
  readonly #patienceMs: number;
  readonly #forget: () => void;
  #calls = 0;
  #isAttached = false;
  #onLeft = (): void => {};
  #timer: NodeJS.Timeout | undefined;
  #settled = 0;
  #wake: (() => void) | undefined;

  constructor(patienceMs: number, forget: () => void) {
    this.#patienceMs = patienceMs;
    this.#forget = forget;
    this.queue = new LiveRequestQueue({
      onSettled: (n) => {
        this.#settled = n;
        this.notify();
      },
    });
  }

  /** The number of the newest message that is not needed again; 0 if there is none. */
  get settled(): number {
    return this.#settled;
  }

  /** A call has begun. `onLeft` is called if it ends and no other follows in time. */
  attach(onLeft: () => void): void {
    clearTimeout(this.#timer);
    this.#calls += 1;
    this.#isAttached = true;
    this.#onLeft = onLeft;
    this.notify();
  }

  /** The newest call has a number of its own, so that a call can find out that a newer one has replaced it. */
  get call(): number {
    return this.#calls;
  }

  /** The call has ended while the run continues. Without effect for a call that was replaced. */
  detach(call: number): void {
    if (call !== this.#calls || !this.#isAttached) return;
    this.#isAttached = false;
    this.#timer = setTimeout(() => this.#onLeft(), this.#patienceMs).unref();
  }

  /** The run has ended here, or has left this process. */
  end(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }

  /**
   * Puts the messages into the queue, no faster than the run reads them, until they end, which closes the queue, or the
   * signal is aborted, or a newer call brings them. Throws what the queue refuses.
   */
  async read(inputs: AsyncIterable<LiveInput>, signal: AbortSignal): Promise<void> {
    const call = this.#calls;
    const { queue } = this;
    const messages = inputs[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await unlessAborted(messages.next(), signal);
        if (next === undefined || call !== this.#calls) return;
        if (next.done === true) return queue.close();
        const { n, request } = next.value;
        if (n > queue.newest && !queue.isClosed) queue.send(request, n);
        if (!queue.hasRoom) await queue.room(signal).catch(() => {});
      }
    } finally {
      // Not awaited: a source that waits for its next message would end only after it.
      void messages.return?.()?.catch(() => {});
    }
  }

  /** Resolves at the next change: more messages are settled, a newer call has begun, or `notify` was called. */
  changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  /** Wakes the newest call, to look at what has changed. */
  notify(): void {
    this.#wake?.();
  }
}

/** Undefined if the signal is aborted first. */
async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const abort = (): void => resolve(undefined);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
