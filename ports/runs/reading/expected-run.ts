import type { ChannelListener } from "./channel-listener.ts";
import type { RunBatch } from "./run-batch.ts";

const MAX_BATCHES = 256;

/**
 * Receives the batches of a run that is about to be started, until its reader takes them. If no reader takes them, it
 * leaves the channel at the second periodic check.
 */
export class ExpectedRun implements ChannelListener, Disposable {
  readonly #leave: (listener: ChannelListener) => void;
  #batches: RunBatch[] = [];
  /**
   * Whether the subscription is confirmed. A run whose start is answered after that has hardly published anything
   * before it.
   */
  #isHearing = false;
  /** Whether messages are missing, so that the reader has to read the log first. */
  #hasLost = false;
  #checks = 0;

  constructor(leave: (listener: ChannelListener) => void) {
    this.#leave = leave;
  }

  /** Leaves the channel and returns the batches received so far; undefined if some may be missing. */
  take(): readonly RunBatch[] | undefined {
    this.#leave(this);
    return this.#hasLost || !this.#isHearing ? undefined : this.#batches;
  }

  receive(batch: RunBatch): void {
    if (this.#batches.length === MAX_BATCHES) this.lose();
    else if (!this.#hasLost) this.#batches.push(batch);
  }

  hear(isHearing: boolean): void {
    this.#isHearing = isHearing;
    if (!isHearing) this.lose();
  }

  lose(): void {
    this.#hasLost = true;
    this.#batches = [];
  }

  check(): void {
    this.#checks += 1;
    if (this.#checks > 1) this[Symbol.dispose]();
  }

  stop(): void {
    this.lose();
  }

  [Symbol.dispose](): void {
    this.lose();
    this.#leave(this);
  }
}
