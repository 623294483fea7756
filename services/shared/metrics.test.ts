import { expect, it } from "vitest";
import { createHotValue } from "./hot-metrics.ts";
import { createMetrics } from "./metrics.ts";

it("shows what was counted before and after the first look, besides the process's own metrics", async () => {
  using metrics = createMetrics();
  const { registry } = metrics;
  const early = createHotValue("counter", { name: "early_total", help: "Early.", labelNames: [], registry });
  early({}).add(2);
  const text = await metrics.text();
  expect(text).toContain("# TYPE early_total counter\nearly_total 2\n");
  expect(text).toMatch(/^process_start_time_seconds \d{9,}/m);
  const late = createHotValue("gauge", { name: "late", help: "Late.", labelNames: [], registry });
  late({}).add(3);
  expect(await metrics.text()).toContain("\nlate 3\n");
});
