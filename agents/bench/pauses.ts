/**
 * Pauses of one length, one after another, with one timer and one listener of the signal for all of them. A pause
 * rejects when the signal aborts.
 */
export class Pauses implements Disposable {
  readonly #ms: number;
  readonly #signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #pause: PromiseWithResolvers<void> | undefined;

  constructor(ms: number, signal: AbortSignal) {
    this.#ms = ms;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  next(): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#ms === 0) return Promise.resolve();
    this.#pause = Promise.withResolvers();
    if (this.#timer === undefined) this.#timer = setTimeout(this.#onTime, this.#ms);
    else this.#timer.refresh();
    return this.#pause.promise;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onTime = (): void => this.#pause?.resolve();

  readonly #onAbort = (): void => {
    clearTimeout(this.#timer);
    this.#pause?.reject(this.#signal.reason);
  };
}
