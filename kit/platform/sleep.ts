import { setTimeout } from "node:timers/promises";

/** Waits. Rejects with the signal's reason when it aborts. Tests pass one that does not wait. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    // The timer wraps the reason in an error of its own.
    signal?.throwIfAborted();
    throw error;
  }
};
