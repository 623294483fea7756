import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
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
  const registry = new Registry();
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
  observer.runEnded({ appName: "shop", record: undefined, durationMs: 30, spans: [] });
  const lines = (await registry.metrics()).split("\n");
  expect(lines.filter((line) => /^agentplane_(runs|model|tool)/.test(line)).sort()).toEqual([
    'agentplane_model_calls_total{model="m",outcome="error"} 1',
    'agentplane_model_calls_total{model="m",outcome="ok"} 1',
    'agentplane_model_tokens_total{model="m",direction="input"} 7',
    'agentplane_model_tokens_total{model="m",direction="output"} 3',
    'agentplane_runs_active{app="shop"} 1',
    'agentplane_runs_total{app="shop",status="lost"} 1',
    'agentplane_runs_total{app="shop",status="succeeded"} 1',
    'agentplane_tool_calls_total{outcome="ok"} 1',
  ]);
  expect(lines).toContain('agentplane_run_duration_seconds_count{app="shop"} 2');
});
