import type { RedisErrorReason, RedisObserver, RedisOperation } from "#adapters/redis/redis-observer.ts";
import { addReadMetric, createValue, type MetricRegistry, resolveOnce } from "../metrics/metric-registry.ts";

/** Metrics of commands for Redis and of those that failed. */
export function createRedisMetrics(registry: MetricRegistry): RedisObserver {
  let commands = 0;
  addReadMetric("counter", {
    name: "fairlead_redis_commands_total",
    help: "Commands and scripts for Redis, those that failed included.",
    registry,
    read: () => commands,
  });
  const errors = createValue("counter", {
    name: "fairlead_redis_errors_total",
    help: "Commands for Redis that failed, by what they were for and why; `unavailable` was not tried.",
    labelNames: ["operation", "reason"],
    registry,
  });
  const counters = resolveOnce((operation) => resolveOnce((reason) => errors({ operation, reason })));
  // Present as 0 from the start: Prometheus sees no increase in a series that first appears as 1, and alerts would miss
  // it.
  const first: readonly RedisErrorReason[] = ["unavailable", "connection", "timeout", "refused", "backlog"];
  for (const reason of first) counters("publish" satisfies RedisOperation)(reason);
  return {
    called: () => {
      commands += 1;
    },
    failed: (operation, reason) => counters(operation)(reason).add(1),
  };
}
