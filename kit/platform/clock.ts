import type { Performance } from "node:perf_hooks";

/** The only source of time. Tests pass a `FixedClock`. */
export interface Clock {
  /** Wall-clock time in integer milliseconds since the epoch; for people and for records, never for order. */
  now(): number;
  /** Milliseconds that never go back; for durations and local deadlines. */
  monotonic(): number;
}

/** The clock of the operating system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

// In projects that include the types of browsers, the global has the browsers' type. An import from Node's module would
// load 11 more modules.
const loop: Pick<Performance, "now"> & Partial<Pick<Performance, "nodeTiming">> = performance;

/** A number that grows with each turn of the event loop: code that finds it unchanged has not waited for anything. */
export function turnOfLoop(): number {
  return loop.nodeTiming?.uvMetricsInfo.loopCount ?? 0;
}
