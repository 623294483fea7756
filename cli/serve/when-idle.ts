import { performance } from "node:perf_hooks";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";

export interface WhenIdleOptions {
  /** How long all waits together may last: a process that is never idle has the work done too. */
  readonly mostMs: number;
  readonly sleep?: Sleep;
  /** Starts to measure; the returned function gives the share of the time since then in which the event loop worked. */
  readonly measure?: () => () => number;
}

const LOOK_MS = 20;
const BUSY_SHARE = 0.25;

/** Returns a function that resolves when the process has nothing to do for a moment, so that work can wait for requests. */
export function whenIdle(options: WhenIdleOptions): () => Promise<void> {
  const { mostMs, sleep: pause = sleep, measure = measureLoop } = options;
  let leftMs = mostMs;
  return async () => {
    while (leftMs > 0) {
      const busyShare = measure();
      await pause(LOOK_MS);
      leftMs -= LOOK_MS;
      if (busyShare() < BUSY_SHARE) return;
    }
  };
}

function measureLoop(): () => number {
  const start = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(start).utilization;
}
