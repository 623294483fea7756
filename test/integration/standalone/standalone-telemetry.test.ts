import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { MetricRegistry } from "#shared/metrics/metric-registry.ts";
import { openOtlp } from "#shared/otlp/open-otlp.ts";
import { startOtlpReceiver } from "#test/fakes/otlp-receiver.ts";
import { verifies } from "#test/helpers/verifies.ts";

const STORES = {
  SESSION_STORE: "memory",
  ARTIFACT_STORE: "memory",
  MEMORY_STORE: "memory",
  EVAL_STORE: "memory",
  CREDENTIAL_STORE: "memory",
};

/** One turn on a server with these settings; returns what it shows before it ends. */
async function talk(settings: Readonly<Record<string, string>>, logger: Logger = silentLogger) {
  const config = loadConfig(standaloneConfigSchema, { PORT: "0", ...STORES, ...settings });
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2 };
  const look = new FunctionTool({
    name: "look",
    description: "Looks.",
    execute: (_args, context) => {
      context.invocationContext.services.logger.info({ place: "shelf", password: "s3cret" }, "looked");
      return { seen: "it" };
    },
  });
  const model = new ScriptedModel([
    functionCallResponse("look", { at: "x" }),
    { content: modelContent("hello"), finishReason: "STOP", usageMetadata },
  ]);
  const agent = new LlmAgent({ name: "app", model, tools: [look], instruction: "Be kind." });
  await using server = await createStandalone({ config, agentLoader: new StaticAgentLoader([agent]), logger });
  await fetch(`${server.url}/apps/app/users/ada/sessions/talk`, { method: "POST" });
  const answer = await fetch(`${server.url}/run_sse`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      appName: "app",
      userId: "ada",
      sessionId: "talk",
      newMessage: { role: "user", parts: [{ text: "hi there" }] },
      streaming: true,
    }),
  });
  await answer.text();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const traces = await (await fetch(`${server.url}/debug/trace/session/talk`)).json();
  return { status: answer.status, metrics, traces: traces as readonly { readonly name: string }[] };
}

it("shows a run in the metrics, in the debugging routes and at the collector", async () => {
  await using collector = await startOtlpReceiver();
  const { status, metrics, traces } = await talk({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(status).toBe(200);
  expect(metrics).toContain('fairlead_runs_total{app="app",status="succeeded"} 1');
  expect(metrics).toContain('fairlead_http_requests_total{method="POST",route="/run_sse",status="200"} 1');
  expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(traces.map(({ name }) => name).sort()).toEqual([
    "call_llm",
    "call_llm",
    "execute_tool look",
    "invocation",
    "invoke_agent app",
  ]);
  const names = collector.spans.map(({ name }) => name).sort();
  expect(names).toEqual(["chat scripted", "chat scripted", "execute_tool look", "invocation", "invoke_agent app"]);
  expect([collector.problems, collector.logs, collector.points]).toEqual([[], [], []]);
  expect(JSON.stringify([collector.spans, traces])).not.toContain("hi there");
});

it("shows what of the telemetry is lost: rows of analytics, spans, log lines and metrics", async () => {
  const directory = await mkdtemp(join(tmpdir(), "analytics-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const { metrics } = await talk({ ANALYTICS_DIR: directory });
  expect(metrics).toContain('fairlead_analytics_rows_total{outcome="queue_full"} 0');
  expect(metrics).not.toContain("fairlead_otlp");
  expect((await talk({})).metrics).not.toContain("fairlead_analytics_rows_total{");

  const registry = new MetricRegistry();
  const signals = { OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" };
  // Nothing listens there.
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT: "200", ...signals };
  const config = loadConfig(standaloneConfigSchema, settings);
  const otlp = openOtlp({ config, logger: silentLogger, clock: systemClock, registry });
  otlp.logger.info({}, "lost");
  await otlp[Symbol.asyncDispose]();
  const lost = [...registry.families].map(({ name, read }) => [name, read()[0]?.value]);
  expect(Object.fromEntries(lost)).toEqual({
    fairlead_otlp_spans_dropped_total: 0,
    fairlead_otlp_log_records_dropped_total: 1,
    fairlead_otlp_metric_exports_failed_total: 1,
  });
});

/** What Langfuse and other readers of the GenAI conventions take of a model call. */
const READ_BY_OTHERS = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "_OTHER",
  "gen_ai.request.model": "scripted",
  "gen_ai.request.stream": true,
  "gen_ai.conversation.id": "talk",
  "gen_ai.agent.name": "app",
  "gen_ai.usage.input_tokens": 5,
  "gen_ai.usage.output_tokens": 2,
  "gen_ai.response.finish_reasons": ["stop"],
  "gen_ai.response.time_to_first_chunk": expect.any(Number),
};

const MESSAGES = {
  "gen_ai.input.messages": [
    { role: "user", parts: [{ type: "text", content: "hi there" }] },
    { role: "assistant", parts: [{ type: "tool_call", id: expect.any(String), name: "look", arguments: { at: "x" } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: expect.any(String), response: { seen: "it" } }] },
  ],
  "gen_ai.output.messages": [{ role: "assistant", parts: [{ type: "text", content: "hello" }], finish_reason: "stop" }],
  "gen_ai.system_instructions": [{ type: "text", content: expect.stringContaining("Be kind.") }],
  "gen_ai.tool.definitions": [{ type: "function", name: "look", description: "Looks." }],
};

it.each(["grpc", "http/protobuf"])(
  "exports traces, metrics and log lines by %s, with what was said as events",
  async (protocol) => {
    await using collector = await startOtlpReceiver();
    const lines: string[] = [];
    const logger = {
      ...silentLogger,
      info: (_: object, message: string) => void lines.push(message),
      child: () => logger,
    };
    const { traces } = await talk(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: protocol === "grpc" ? collector.grpcUrl : collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_LOGS_EXPORTER: "otlp",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "EVENT_ONLY",
      },
      logger,
    );
    expect(collector.problems).toEqual([]);
    const call = collector.spans.findLast(({ name }) => name === "chat scripted");
    expect(call).toMatchObject({ kind: 3, attributes: { ...READ_BY_OTHERS, "session.id": "talk" } });
    expect(JSON.stringify([collector.spans, traces])).not.toContain("hi there");

    const event = collector.logs.findLast(({ eventName }) => eventName === "gen_ai.client.inference.operation.details");
    expect(event).toMatchObject({
      traceId: call?.traceId,
      spanId: call?.spanId,
      attributes: { ...READ_BY_OTHERS, ...MESSAGES },
    });
    const written = collector.logs.filter(({ eventName }) => eventName === "");
    expect(written.map(({ body }) => body)).toEqual(lines);
    expect(written.find(({ body }) => body === "looked")).toMatchObject({
      severity: "INFO",
      attributes: { place: "shelf", password: "[redacted]" },
    });

    const model = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "_OTHER",
      "gen_ai.request.model": "scripted",
    };
    const pointsOf = (name: string) => collector.points.filter(({ metric }) => metric === name);
    expect(pointsOf("gen_ai.client.token.usage")).toMatchObject([
      { unit: "{token}", sum: 5, value: 1, attributes: { ...model, "gen_ai.token.type": "input" } },
      { unit: "{token}", sum: 2, value: 1, attributes: { ...model, "gen_ai.token.type": "output" } },
    ]);
    expect(pointsOf("gen_ai.client.operation.duration")).toMatchObject([{ unit: "s", value: 2, attributes: model }]);
    expect(pointsOf("gen_ai.client.operation.time_to_first_chunk")).toMatchObject([{ value: 2 }]);
    expect(pointsOf("fairlead_runs_total")).toMatchObject([
      { kind: "sum", value: 1, attributes: { app: "app", status: "succeeded" } },
    ]);
  },
);

it("has what was said as attributes of spans where that is asked for", async () => {
  verifies("events:trace:content");
  await using collector = await startOtlpReceiver();
  await talk({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
  const attributesOf = (name: string) => collector.spans.findLast((span) => span.name === name)?.attributes ?? {};
  const call = attributesOf("chat scripted");
  const parsed = Object.fromEntries(Object.keys(MESSAGES).map((key) => [key, JSON.parse(String(call[key]))]));
  expect(parsed).toMatchObject(MESSAGES);
  expect(attributesOf("execute_tool look")).toMatchObject({
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.arguments": '{"at":"x"}',
    "gen_ai.tool.call.result": '{"seen":"it"}',
  });
});
