import { setTimeout } from "node:timers/promises";

/**
 * Resolves after the given time. Rejects with the signal's reason when the signal aborts. Tests pass a function that
 * does not wait.
 */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    // The timer wraps the signal's reason in an error of its own.
    signal?.throwIfAborted();
    throw error;
  }
};
