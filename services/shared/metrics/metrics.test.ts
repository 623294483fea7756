import { expect, it } from "vitest";
import { systemClock } from "#kit/platform/clock.ts";
import { createHistogram, createValue } from "./metric-registry.ts";
import { createMetrics } from "./metrics.ts";

const OPEN_METRICS = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";

function createSample(exemplars: boolean) {
  const metrics = createMetrics({ clock: systemClock, exemplars });
  const { registry } = metrics;
  const seconds = createHistogram({
    name: "work_seconds",
    help: "Work.\nAll of it.",
    labelNames: ["kind"],
    registry,
    buckets: [0.5, 1],
  });
  const timer = seconds({ kind: 'a "b"' });
  timer.observe(0.2);
  timer.observe(0.7, "0af7651916cd43dd8448eb211c80319c");
  timer.observe(0.8, "b7ad6b71692033310af7651916cd43dd");
  createValue("counter", { name: "work_total", help: "Work.", labelNames: [], registry })({}).add(3);
  return metrics;
}

it("reports the metrics of the process beside registered ones", () => {
  using metrics = createMetrics({ clock: systemClock });
  createValue("counter", { name: "early_total", help: "Early.", labelNames: [], registry: metrics.registry })({}).add(
    2,
  );
  const { text } = metrics.read(undefined);
  expect(text).toContain("# TYPE early_total counter\nearly_total 2\n");
  expect(text).toMatch(/^process_start_time_seconds \d{9,}$/m);
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]\d{6,}$/m);
  expect(text).toMatch(/^nodejs_heap_space_size_used_bytes\{space="old"\} [1-9]\d+$/m);
});

it("refuses a second metric of a name", () => {
  using metrics = createMetrics({ clock: systemClock });
  const add = () => createValue("gauge", { name: "late", help: "", labelNames: [], registry: metrics.registry });
  add();
  expect(add).toThrow("There already is a metric late.");
});

it("reports the event loop's delay since the last scrape", async () => {
  using metrics = createMetrics({ clock: systemClock });
  const longest = () => Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics.read(undefined).text)?.[1]);
  await expect.poll(longest).toBeGreaterThan(0);
  // The scrape before has reset the delays, and the event loop has not run since.
  expect(longest()).toBe(0);
});

it("shows the newest trace of each bucket to a scraper that asks for OpenMetrics", () => {
  using metrics = createSample(true);
  const { contentType, text } = metrics.read(OPEN_METRICS);
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

it("shows the process's own histograms to such a scraper", () => {
  using metrics = createSample(true);
  const { text } = metrics.read(OPEN_METRICS);
  expect(text).toMatch(/^# TYPE nodejs_gc_duration_seconds histogram$/m);
  expect(text).toMatch(/^process_cpu_seconds_total [0-9.]+$/m);
});

it.each([
  { exemplars: false, accept: OPEN_METRICS },
  { exemplars: true, accept: undefined },
  { exemplars: true, accept: "*/*" },
  { exemplars: true, accept: "application/openmetrics-text;q=0, text/plain" },
])("keeps to Prometheus text otherwise: $exemplars, $accept", ({ exemplars, accept }) => {
  using metrics = createSample(exemplars);
  const { contentType, text } = metrics.read(accept);
  expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).toContain('work_seconds_bucket{le="1",kind="a \\"b\\""} 3\n');
  expect(text).not.toContain("trace_id");
});
