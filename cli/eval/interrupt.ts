/** Ctrl-C of the user: the first one ends the evaluation in good order, a second one the command immediately. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #onInterrupt = (): void => this.#controller.abort();

  constructor() {
    process.once("SIGINT", this.#onInterrupt);
  }

  /** Is aborted by the first Ctrl-C. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    process.removeListener("SIGINT", this.#onInterrupt);
  }
}
