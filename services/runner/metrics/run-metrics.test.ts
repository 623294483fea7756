import { expect, it } from "vitest";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { MetricRegistry } from "#shared/metrics/metric-registry.ts";
import { prometheusText } from "#shared/metrics/metrics-text.ts";
import { createRunMetrics } from "./run-metrics.ts";

const record: RunRecord = {
  runId: "r",
  session: { appName: "shop", userId: "u", id: "s" },
  invocationId: "i",
  request: {},
  status: "succeeded",
  policy: "enqueue",
  attempts: 1,
  epoch: 1,
  createdTime: 0,
  cancelRequested: false,
  baseRevision: 0,
};
const span = (attributes: SpanRecord["attributes"], error?: string): SpanRecord => ({
  name: "n",
  traceId: "t",
  spanId: "s",
  startTime: 0,
  endTime: 1,
  attributes,
  ...(error !== undefined && { error }),
});

it("counts runs by status, and model calls, tokens and tool calls by their spans", async () => {
  const registry = new MetricRegistry();
  const observer = createRunMetrics(registry);
  observer.runStarted("shop");
  observer.runStarted("shop");
  observer.runStarted("shop");
  observer.runEnded({
    appName: "shop",
    record,
    durationMs: 30,
    spans: [
      span({ "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3 }),
      span({ "gen_ai.request.model": "m" }, "Error: no"),
      span({ "gen_ai.operation.name": "execute_tool" }),
    ],
  });
  const answer = { newMessage: { role: "user", parts: [{ functionResponse: { id: "c", name: "ask" } }] } };
  observer.runStarted("shop");
  observer.runEnded({ appName: "shop", record: { ...record, request: answer }, durationMs: 30, spans: [] });
  observer.runEnded({ appName: "shop", record: undefined, durationMs: 30, spans: [] });
  const lines = prometheusText(registry).split("\n");
  expect(
    lines.filter((line) => /^fairlead_(runs_total|runs_answered|runs_active|model|tool)/.test(line)).sort(),
  ).toEqual([
    'fairlead_model_calls_total{model="m",outcome="error"} 1',
    'fairlead_model_calls_total{model="m",outcome="ok"} 1',
    'fairlead_model_tokens_total{model="m",direction="input"} 7',
    'fairlead_model_tokens_total{model="m",direction="output"} 3',
    'fairlead_runs_active{app="shop"} 1',
    'fairlead_runs_answered_total{app="shop"} 1',
    'fairlead_runs_total{app="shop",status="lost"} 1',
    'fairlead_runs_total{app="shop",status="succeeded"} 2',
    'fairlead_tool_calls_total{outcome="ok"} 1',
  ]);
  expect(lines).toContain('fairlead_run_duration_seconds_count{app="shop"} 3');
});

it("reports the series that alerts use as 0 from the start", async () => {
  const registry = new MetricRegistry();
  createRunMetrics(registry);
  const lines = prometheusText(registry).split("\n");
  expect(lines.filter((line) => /^fairlead_runs?_(leases|taken_up)/.test(line))).toEqual([
    'fairlead_run_leases_total{outcome="renewed"} 0',
    'fairlead_run_leases_total{outcome="failed"} 0',
    'fairlead_run_leases_total{outcome="lost"} 0',
    'fairlead_runs_taken_up_total{kind="started"} 0',
    'fairlead_runs_taken_up_total{kind="handed-over"} 0',
    'fairlead_runs_taken_up_total{kind="resumed"} 0',
    'fairlead_runs_taken_up_total{kind="exhausted"} 0',
  ]);
});

it("counts lease renewals and recovered runs, and reads the load at a scrape", async () => {
  const registry = new MetricRegistry();
  const observer = createRunMetrics(registry);
  observer.leaseKept?.("renewed");
  observer.leaseKept?.("renewed");
  observer.leaseKept?.("lost");
  observer.runRecovered?.("resumed");
  let queued = 1;
  observer.watchLoad?.(() => ({ busySlots: 7, queued, oldestQueuedMs: 2500 }));
  queued = 3;
  const text = prometheusText(registry);
  expect(text.split("\n")).toEqual(
    expect.arrayContaining([
      'fairlead_run_leases_total{outcome="renewed"} 2',
      'fairlead_run_leases_total{outcome="lost"} 1',
      'fairlead_runs_taken_up_total{kind="resumed"} 1',
      "fairlead_run_slots_busy 7",
      "fairlead_runs_queued 3",
      "fairlead_runs_queued_oldest_seconds 2.5",
    ]),
  );
});
