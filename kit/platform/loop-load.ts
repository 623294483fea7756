import { performance } from "node:perf_hooks";

/** Starts to measure. The returned function gives the share of the time since then in which the event loop was busy. */
export function measureLoopLoad(): () => number {
  const start = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(start).utilization;
}
