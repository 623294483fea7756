/**
 * A poke about one run, between processes that execute runs: `cancel`, its record asks for its end; `awaited`, somebody waits for its end;
 * `ended`, it has ended; `available`, its runner has given it up.
 */
export interface RunSignal {
  readonly kind: "cancel" | "awaited" | "ended" | "available";
  readonly runId: string;
}

/**
 * Pokes that save waiting. They may be lost or come twice and prove nothing: whoever gets one looks into the journal, and whoever waits
 * for one also looks there now and then.
 */
export interface RunSignals {
  /** Tells every listener of every process, the sender's own included. Best effort: never throws. */
  send(signal: RunSignal): void;
  /** Listens until disposed of. The listener must not throw. */
  listen(listener: (signal: RunSignal) => void): Disposable;
}
