import type { RunSignal, RunSignals } from "./run-signals.ts";

/** Pokes inside one process. Listeners are told in a later turn of the event loop, as they would be over a network. */
export class InMemoryRunSignals implements RunSignals {
  readonly #listeners = new Set<(signal: RunSignal) => void>();

  send(signal: RunSignal): void {
    setImmediate(() => {
      for (const listener of this.#listeners) listener(signal);
    });
  }

  listen(listener: (signal: RunSignal) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
