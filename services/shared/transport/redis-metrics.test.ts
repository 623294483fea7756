import { expect, it } from "vitest";
import { MetricRegistry } from "../metrics/metric-registry.ts";
import { prometheusText } from "../metrics/metrics-text.ts";
import { createRedisMetrics } from "./redis-metrics.ts";

it("counts commands, and those that failed by what they were for and why", async () => {
  const registry = new MetricRegistry();
  const observer = createRedisMetrics(registry);
  for (let command = 0; command < 3; command += 1) observer.called();
  observer.failed("publish", "timeout");
  observer.failed("publish", "timeout");
  observer.failed("claim-key", "unavailable");
  const lines = prometheusText(registry)
    .split("\n")
    .filter((line) => /^fairlead_.* [1-9]/.test(line));
  expect(lines).toEqual([
    "fairlead_redis_commands_total 3",
    'fairlead_redis_errors_total{operation="publish",reason="timeout"} 2',
    'fairlead_redis_errors_total{operation="claim-key",reason="unavailable"} 1',
  ]);
});
