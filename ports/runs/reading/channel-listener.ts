import type { RunBatch } from "./run-batch.ts";

/** A reader of a channel. No method may throw or wait. */
export interface ChannelListener {
  /** Receives a batch as it was published. */
  receive(batch: RunBatch): void;
  /**
   * Reports whether messages reach the listener from now on. Initially they do not. Earlier messages may be missing.
   */
  hear(isHearing: boolean): void;
  /** Messages may be missing: the listener has to read the log. */
  lose(): void;
  /** The run's record has changed, and its log has not. */
  recheck?(): void;
  /** Called periodically, so that a listener without messages reads its log. */
  check(): void;
  /** No further messages follow. */
  stop(): void;
}
