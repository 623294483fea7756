import type { LeaseOutcome } from "#kit/runs/base/started-run.ts";
import { continuesInvocation } from "#kit/runs/begin/choose-turn.ts";
import { observeSpans } from "#kit/telemetry/gen-ai-metrics.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { createGenAiMetrics } from "#shared/metrics/gen-ai-metrics.ts";
import {
  addReadMetric,
  addReadMetrics,
  createHistogram,
  createValue,
  type MetricRegistry,
  resolveOnce,
} from "#shared/metrics/metric-registry.ts";
import type { RowTotals } from "./analytics-totals.ts";
import type { RecoveryKind, RunnerLoad, RunObserver } from "./run-observer.ts";

const RUN_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const LEASE_OUTCOMES: readonly LeaseOutcome[] = ["renewed", "failed", "lost"];
const RECOVERY_KINDS: readonly RecoveryKind[] = ["started", "handed-over", "resumed", "exhausted"];

/** Metrics of runs, model calls and tokens. Models and tools are counted from the run's spans, once, at its end. */
export function createRunMetrics(registry: MetricRegistry): RunObserver {
  const runs = createValue("counter", {
    name: "fairlead_runs_total",
    help: "Runs that have ended, by app and status; `lost` for those that another runner recovers.",
    labelNames: ["app", "status"],
    registry,
  });
  const answered = createValue("counter", {
    name: "fairlead_runs_answered_total",
    help: "Runs that have ended and brought the answer to a run that waited for input.",
    labelNames: ["app"],
    registry,
  });
  const active = createValue("gauge", {
    name: "fairlead_runs_active",
    help: "Runs being executed.",
    labelNames: ["app"],
    registry,
  });
  const duration = createHistogram({
    name: "fairlead_run_duration_seconds",
    help: "Time from a run's start to its end.",
    labelNames: ["app"],
    buckets: RUN_SECONDS,
    registry,
  });
  const modelCalls = createValue("counter", {
    name: "fairlead_model_calls_total",
    help: "Model calls, by model and outcome.",
    labelNames: ["model", "outcome"],
    registry,
  });
  const tokens = createValue("counter", {
    name: "fairlead_model_tokens_total",
    help: "Tokens as the model counted them.",
    labelNames: ["model", "direction"],
    registry,
  });
  const toolCalls = createValue("counter", {
    name: "fairlead_tool_calls_total",
    help: "Tool calls, by outcome.",
    labelNames: ["outcome"],
    registry,
  });

  const apps = resolveOnce((app) => ({
    active: active({ app }),
    duration: duration({ app }),
    answered: resolveOnce(() => answered({ app })),
    runs: resolveOnce((status) => runs({ app, status })),
  }));
  const models = resolveOnce((model) => ({
    calls: resolveOnce((outcome) => modelCalls({ model, outcome })),
    input: tokens({ model, direction: "input" }),
    output: tokens({ model, direction: "output" }),
  }));
  const tools = resolveOnce((outcome) => toolCalls({ outcome }));
  const genAi = createGenAiMetrics(registry);

  const countSpan = ({ attributes, error }: SpanRecord): void => {
    const outcome = error === undefined ? "ok" : "error";
    if (attributes["gen_ai.operation.name"] === "execute_tool") tools(outcome).add(1);
    const model = attributes["gen_ai.request.model"];
    if (typeof model !== "string") return;
    const known = models(model);
    known.calls(outcome).add(1);
    known.input.add(numberOf(attributes["gen_ai.usage.input_tokens"]));
    known.output.add(numberOf(attributes["gen_ai.usage.output_tokens"]));
  };

  const leases = createValue("counter", {
    name: "fairlead_run_leases_total",
    help: "Renewals of runs' leases, by outcome; `lost` ended the run here.",
    labelNames: ["outcome"],
    registry,
  });
  const recoveries = createValue("counter", {
    name: "fairlead_runs_taken_up_total",
    help: "Abandoned runs that this runner recovered, by kind.",
    labelNames: ["kind"],
    registry,
  });
  const leaseOutcomes = resolveOnce((outcome) => leases({ outcome }));
  const recoveryKinds = resolveOnce((kind) => recoveries({ kind }));
  // Present as 0 from the start: Prometheus sees no increase in a series that first appears as 1, and alerts would miss
  // it.
  for (const outcome of LEASE_OUTCOMES) leaseOutcomes(outcome);
  for (const kind of RECOVERY_KINDS) recoveryKinds(kind);

  return {
    leaseKept: (outcome) => leaseOutcomes(outcome).add(1),
    runRecovered: (kind) => recoveryKinds(kind).add(1),
    watchLoad: (read) => addLoadMetrics(registry, read),
    watchAnalytics: (read) => addAnalyticsMetrics(registry, read),
    runStarted: (app) => apps(app).active.add(1),
    runEnded: ({ appName, record, durationMs, spans }) => {
      const app = apps(appName);
      app.active.add(-1);
      app.duration.observe(durationMs / 1000, spans[0]?.traceId);
      app.runs(record?.status ?? "lost").add(1);
      if (record !== undefined && continuesInvocation(record.request)) app.answered("answered").add(1);
      for (const span of spans) countSpan(span);
      observeSpans(spans, genAi);
    },
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function addAnalyticsMetrics(registry: MetricRegistry, read: () => RowTotals | undefined): void {
  addReadMetrics("counter", {
    name: "fairlead_analytics_rows_total",
    help: "Rows of analytics, by outcome: written, or the reason why they were lost; offload_error is a row without its large content.",
    labelNames: ["outcome"],
    registry,
    read: () => Object.entries(read() ?? {}).map(([outcome, value]) => ({ labels: { outcome }, value })),
  });
}

/** Gauges of queued runs and busy slots, read at each scrape. */
export function addLoadMetrics(registry: MetricRegistry, read: () => RunnerLoad): void {
  addGauge(registry, "fairlead_run_slots_busy", "Slots for runs that are taken.", () => read().busySlots);
  addGauge(registry, "fairlead_runs_queued", "Runs that wait for their session or for a slot.", () => read().queued);
  addGauge(
    registry,
    "fairlead_runs_queued_oldest_seconds",
    "Time that the first of the queued runs has waited.",
    () => read().oldestQueuedMs / 1000,
  );
}

function addGauge(registry: MetricRegistry, name: string, help: string, read: () => number): void {
  addReadMetric("gauge", { registry, name, help, read });
}
