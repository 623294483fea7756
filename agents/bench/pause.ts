import { setTimeout as wait } from "node:timers/promises";

/** Resolves after so many ms, or rejects when the run is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
