import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import type { RunObserver } from "./run-observer.ts";

const RUN_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Runs, model calls and tokens. What models and tools did is read off the run's spans once, at its end. */
export function createRunMetrics(registry: Registry): RunObserver {
  const registers = [registry];
  const runs = new Counter({
    name: "agentplane_runs_total",
    help: "Runs that have ended, by app and status; `lost` for those another runner took over.",
    labelNames: ["app", "status"],
    registers,
  });
  const active = new Gauge({
    name: "agentplane_runs_active",
    help: "Runs being executed.",
    labelNames: ["app"],
    registers,
  });
  const duration = new Histogram({
    name: "agentplane_run_duration_seconds",
    help: "Time from a run's start to its end.",
    labelNames: ["app"],
    buckets: RUN_SECONDS,
    registers,
  });
  const modelCalls = new Counter({
    name: "agentplane_model_calls_total",
    help: "Model calls, by model and outcome.",
    labelNames: ["model", "outcome"],
    registers,
  });
  const tokens = new Counter({
    name: "agentplane_model_tokens_total",
    help: "Tokens as the model counted them.",
    labelNames: ["model", "direction"],
    registers,
  });
  const toolCalls = new Counter({
    name: "agentplane_tool_calls_total",
    help: "Tool calls, by outcome.",
    labelNames: ["outcome"],
    registers,
  });

  const apps = resolveOnce((app) => ({
    active: active.labels(app),
    duration: duration.labels(app),
    runs: resolveOnce((status) => runs.labels(app, status)),
  }));
  const models = resolveOnce((model) => ({
    calls: resolveOnce((outcome) => modelCalls.labels(model, outcome)),
    input: tokens.labels(model, "input"),
    output: tokens.labels(model, "output"),
  }));
  const tools = resolveOnce((outcome) => toolCalls.labels(outcome));

  const countSpan = ({ attributes, error }: SpanRecord): void => {
    const outcome = error === undefined ? "ok" : "error";
    if (attributes["gen_ai.operation.name"] === "execute_tool") tools(outcome).inc();
    const model = attributes["gen_ai.request.model"];
    if (typeof model !== "string") return;
    const known = models(model);
    known.calls(outcome).inc();
    known.input.inc(numberOf(attributes["gen_ai.usage.input_tokens"]));
    known.output.inc(numberOf(attributes["gen_ai.usage.output_tokens"]));
  };

  return {
    runStarted: (app) => apps(app).active.inc(),
    runEnded: ({ appName, record, durationMs, spans }) => {
      const app = apps(appName);
      app.active.dec();
      app.duration.observe(durationMs / 1000);
      app.runs(record?.status ?? "lost").inc();
      for (const span of spans) countSpan(span);
    },
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Looking a child up by its labels costs more than the count itself: each is resolved once. */
function resolveOnce<Value>(resolve: (label: string) => Value): (label: string) => Value {
  const known = new Map<string, Value>();
  return (label) => {
    const found = known.get(label);
    if (found !== undefined) return found;
    const value = resolve(label);
    known.set(label, value);
    return value;
  };
}
