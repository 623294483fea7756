import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import type { LiveInput, LiveProgress } from "#ports/runs/live-runner-service.ts";
import type { RunStreamEntry } from "#ports/runs/run-stream.ts";

/** What the run has emitted and the newest call has not taken. Beyond that its caller reads the stored events instead. */
const MAX_EMITTED_CHARACTERS = 1024 * 1024;
/** So many frames of sound or pictures may be sent again to the next runner although they are not needed: a second. */
const MAX_UNREPORTED_MEDIA = 50;

/**
 * The client of one live run in this process: the queue of its messages, the newest call that brings them, and what the
 * run emits for that call. Calls
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
  /** Numbers of messages: those up to the first are not needed again, and the newest call knows it up to the second. */
  #settled = 0;
  #reported = 0;
  /** The newest message other than media. */
  #newestTurn = 0;
  #wake: (() => void) | undefined;
  #emitted: RunStreamEntry[] = [];
  #emittedCharacters = 0;

  constructor(patienceMs: number, forget: () => void) {
    this.#patienceMs = patienceMs;
    this.#forget = forget;
    this.queue = new LiveRequestQueue({
      onSettled: (n) => {
        this.#settled = n;
        if (this.#isReportDue()) this.notify();
      },
    });
  }

  /**
   * A call has begun. `onLeft` is called if it ends and no other follows in time. `hasMissed`: the run has emitted
   * entries before this call, or an earlier call may have lost some.
   */
  attach(onLeft: () => void, hasMissed: boolean): void {
    clearTimeout(this.#timer);
    if (hasMissed || this.#calls > 0) this.#skip();
    this.#calls += 1;
    this.#reported = 0;
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
    let stop = (): void => {};
    const abort = (): void => stop();
    // Once for all messages: a listener for each of them costs more than the message.
    signal.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<LiveInput> | undefined>();
        stop = () => resolve(undefined);
        if (signal.aborted) stop();
        messages.next().then(resolve, reject);
        const next = await promise;
        if (next === undefined || call !== this.#calls) return;
        if (next.done === true) return queue.close();
        const { n, request } = next.value;
        if (n > queue.newest && !queue.isClosed) queue.send(request, n);
        if (request.blob === undefined) this.#newestTurn = n;
        if (!queue.hasRoom) await queue.room(signal).catch(() => {});
      }
    } finally {
      signal.removeEventListener("abort", abort);
      // Not awaited: a source that waits for its next message would end only after it.
      void messages.return?.()?.catch(() => {});
    }
  }

  /** Keeps entries for the newest call. Without one they are not kept, as the next call begins with stored events. */
  readonly emit = (entries: readonly RunStreamEntry[]): void => {
    if (!this.#isAttached) return;
    for (const entry of entries) {
      this.#emitted.push(entry);
      if (entry.kind === "event") this.#emittedCharacters += entry.json.length;
    }
    if (this.#emittedCharacters > MAX_EMITTED_CHARACTERS) this.#skip();
    this.notify();
  };

  /** The report that is due to the newest call; undefined if there is none. */
  progress(): LiveProgress | undefined {
    const entries = this.#emitted;
    if (entries.length === 0 && !this.#isReportDue()) return undefined;
    this.#emitted = [];
    this.#emittedCharacters = 0;
    const taken = this.#settled > this.#reported ? this.#settled : undefined;
    this.#reported = this.#settled;
    return { kind: "worked", entries, taken };
  }

  /** Whether the caller is to know now, and not with what is emitted next, which messages are not needed again. */
  #isReportDue(): boolean {
    const unreported = this.#settled - this.#reported;
    return unreported >= MAX_UNREPORTED_MEDIA || (unreported > 0 && this.#newestTurn > this.#reported);
  }

  #skip(): void {
    this.#emitted = [RESYNC];
    this.#emittedCharacters = 0;
  }

  /** Resolves at the next change: more messages are settled or entries emitted, a newer call has begun, or `notify` was called. */
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

const RESYNC: RunStreamEntry = Object.freeze({ kind: "resync" });
