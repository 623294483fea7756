import { expect, it } from "vitest";
import { createHotHistogram, createHotValue } from "./hot-metrics.ts";
import { createMetrics } from "./metrics.ts";

const OPEN_METRICS = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";

function createSample(exemplars: boolean) {
  const metrics = createMetrics({ exemplars });
  const { registry } = metrics;
  const seconds = createHotHistogram({
    ...{ name: "work_seconds", help: "Work.\nAll of it.", labelNames: ["kind"], registry },
    buckets: [0.5, 1],
  });
  const timer = seconds({ kind: 'a "b"' });
  timer.observe(0.2);
  timer.observe(0.7, "0af7651916cd43dd8448eb211c80319c");
  timer.observe(0.8, "b7ad6b71692033310af7651916cd43dd");
  createHotValue("counter", { name: "work_total", help: "Work.", labelNames: [], registry })({}).add(3);
  return metrics;
}

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

it("shows the newest trace of each bucket to a scraper that asks for OpenMetrics", async () => {
  using metrics = createSample(true);
  const { contentType, text } = await metrics.read(OPEN_METRICS);
  expect(contentType).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(text.split("\n").filter((line) => line.includes("work") || line.startsWith("# EOF"))).toEqual([
    "# HELP work_seconds Work.\\nAll of it.",
    "# TYPE work_seconds histogram",
    'work_seconds_bucket{le="0.5",kind="a \\"b\\""} 1',
    'work_seconds_bucket{le="1.0",kind="a \\"b\\""} 3 # {trace_id="b7ad6b71692033310af7651916cd43dd"} 0.8',
    'work_seconds_bucket{le="+Inf",kind="a \\"b\\""} 3',
    'work_seconds_sum{kind="a \\"b\\""} 1.7',
    'work_seconds_count{kind="a \\"b\\""} 3',
    "# HELP work Work.",
    "# TYPE work counter",
    "work_total 3",
    "# EOF",
  ]);
});

it("shows the process's own histograms to such a scraper", async () => {
  using metrics = createSample(true);
  await metrics.read(OPEN_METRICS);
  const { text } = await metrics.read(OPEN_METRICS);
  expect(text).toMatch(/^# TYPE nodejs_gc_duration_seconds histogram$/m);
  expect(text).toMatch(/^process_cpu_seconds_total [0-9.]+$/m);
});

it.each([
  { exemplars: false, accept: OPEN_METRICS },
  { exemplars: true, accept: undefined },
  { exemplars: true, accept: "*/*" },
  { exemplars: true, accept: "application/openmetrics-text;q=0, text/plain" },
])("keeps to Prometheus text otherwise: $exemplars, $accept", async ({ exemplars, accept }) => {
  using metrics = createSample(exemplars);
  const { contentType, text } = await metrics.read(accept);
  expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).toContain('work_seconds_bucket{le="1",kind="a \\"b\\""} 3\n');
  expect(text).not.toContain("trace_id");
});
