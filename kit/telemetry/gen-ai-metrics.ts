import type { SpanAttributes, SpanRecord } from "./span.ts";

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const CHUNK_SECONDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
const COUNTS = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 500];

interface MetricDescription {
  /** UCUM, in the spelling of OpenTelemetry. */
  readonly unit: "s" | "{token}" | "{call}" | "{step}";
  readonly description: string;
  readonly buckets: readonly number[];
  readonly attributes: readonly string[];
}

const MODEL = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"];
const AGENT = ["gen_ai.agent.name"];

/**
 * Histograms of the work of agents, with the names and buckets of OpenTelemetry's semantic conventions for generative
 * AI.
 */
export const GEN_AI_METRICS = {
  "gen_ai.client.token.usage": {
    unit: "{token}",
    description: "Tokens of a model call, by direction.",
    buckets: TOKENS,
    attributes: [...MODEL, "gen_ai.token.type"],
  },
  "gen_ai.client.operation.duration": {
    unit: "s",
    description: "Time of a model call.",
    buckets: SECONDS,
    attributes: [...MODEL, "error.type"],
  },
  "gen_ai.client.operation.time_to_first_chunk": {
    unit: "s",
    description: "Time from a streamed model call to its first chunk.",
    buckets: CHUNK_SECONDS,
    attributes: MODEL,
  },
  "gen_ai.execute_tool.duration": {
    unit: "s",
    description: "Time of a tool call.",
    buckets: SECONDS,
    attributes: ["gen_ai.tool.name", "error.type"],
  },
  "gen_ai.invoke_agent.duration": {
    unit: "s",
    description: "Time of an agent's turn.",
    buckets: SECONDS,
    attributes: [...AGENT, "error.type"],
  },
  "gen_ai.invoke_agent.inference_calls": {
    unit: "{call}",
    description: "Model calls of an agent's turn.",
    buckets: COUNTS,
    attributes: AGENT,
  },
  "gen_ai.invoke_agent.tool_calls": {
    unit: "{call}",
    description: "Tool calls of an agent's turn.",
    buckets: COUNTS,
    attributes: AGENT,
  },
  "gen_ai.agent.workflow.steps": {
    unit: "{step}",
    description: "Agents that worked in one invocation, each turn counted.",
    buckets: COUNTS,
    attributes: [],
  },
} as const satisfies Record<string, MetricDescription>;

/** The name of a metric about models, tools and agents. */
export type GenAiMetric = keyof typeof GEN_AI_METRICS;

/** Receives measurements to export. Called once for each value when a run has ended; must not throw. */
export interface MetricObserver {
  /**
   * `attributes` has exactly the names that the metric declares. Their values are names from bounded sets, never
   * content or ids. `traceId` names the trace of the measured work.
   */
  record(metric: GenAiMetric, value: number, attributes: Readonly<Record<string, string>>, traceId?: string): void;
}

/** Replaces values whose number is not bounded, such as names of tools that a model invented. */
const OTHER = "_OTHER";

/** The attribute of a span that counts in no metric of model calls. */
export const UNMEASURED = "fairlead.unmeasured";

/** Computes a run's measurements in one pass. `spans` are sorted by their end. */
export function observeSpans(spans: readonly SpanRecord[], observer: MetricObserver): void {
  const steps = new Map<string, { modelCalls: number; toolCalls: number }>();
  let agents = 0;
  for (const span of spans) {
    const of = span.parentSpanId === undefined ? undefined : steps.get(span.parentSpanId);
    const counts = of ?? { modelCalls: 0, toolCalls: 0 };
    switch (span.attributes["gen_ai.operation.name"]) {
      case "chat":
      case "generate_content":
        counts.modelCalls += 1;
        if (span.attributes[UNMEASURED] !== true) observeModelCall(span, observer);
        break;
      case "execute_tool":
        counts.toolCalls += 1;
        observeToolCall(span, observer);
        break;
      case "invoke_agent":
        agents += 1;
        // Children end before their parents, so the counts are complete.
        observeAgent(span, steps.get(span.spanId), observer);
        continue;
      default:
        continue;
    }
    if (of === undefined && span.parentSpanId !== undefined) steps.set(span.parentSpanId, counts);
  }
  if (agents > 0) observer.record("gen_ai.agent.workflow.steps", agents, {}, spans[0]?.traceId);
}

function observeModelCall(span: SpanRecord, observer: MetricObserver): void {
  const { attributes } = span;
  const model = {
    "gen_ai.operation.name": textOf(attributes, "gen_ai.operation.name"),
    "gen_ai.provider.name": textOf(attributes, "gen_ai.provider.name"),
    "gen_ai.request.model": textOf(attributes, "gen_ai.request.model"),
  };
  const record = (metric: GenAiMetric, value: number, more?: Readonly<Record<string, string>>): void =>
    observer.record(metric, value, { ...model, ...more }, span.traceId);
  record("gen_ai.client.operation.duration", secondsOf(span), { "error.type": errorType(span) });
  const first = attributes["gen_ai.response.time_to_first_chunk"];
  if (typeof first === "number") record("gen_ai.client.operation.time_to_first_chunk", first);
  for (const type of ["input", "output"] as const) {
    const tokens = attributes[`gen_ai.usage.${type}_tokens`];
    if (typeof tokens !== "number") continue;
    record("gen_ai.client.token.usage", tokens, { "gen_ai.token.type": type });
  }
}

function observeToolCall(span: SpanRecord, observer: MetricObserver): void {
  const { attributes } = span;
  const isMadeUp = attributes["gen_ai.tool.type"] === undefined;
  const name = isMadeUp ? OTHER : textOf(attributes, "gen_ai.tool.name");
  const tool = { "gen_ai.tool.name": name, "error.type": errorType(span) };
  observer.record("gen_ai.execute_tool.duration", secondsOf(span), tool, span.traceId);
}

function observeAgent(
  span: SpanRecord,
  counts: { readonly modelCalls: number; readonly toolCalls: number } | undefined,
  observer: MetricObserver,
): void {
  const agent = { "gen_ai.agent.name": textOf(span.attributes, "gen_ai.agent.name") };
  const { traceId } = span;
  observer.record(
    "gen_ai.invoke_agent.duration",
    secondsOf(span),
    { ...agent, "error.type": errorType(span) },
    traceId,
  );
  observer.record("gen_ai.invoke_agent.inference_calls", counts?.modelCalls ?? 0, agent, traceId);
  observer.record("gen_ai.invoke_agent.tool_calls", counts?.toolCalls ?? 0, agent, traceId);
}

function secondsOf({ startTime, endTime }: SpanRecord): number {
  return (endTime - startTime) / 1000;
}

function textOf(attributes: SpanAttributes, key: string): string {
  const value = attributes[key];
  return typeof value === "string" ? value : "";
}

const CLASS_NAME = /^[A-Z]\w{0,60}(?=:)/;

/** The class of the error; empty if the operation succeeded. */
export function errorType({ error }: Pick<SpanRecord, "error">): string {
  if (error === undefined) return "";
  return CLASS_NAME.exec(error)?.[0] ?? OTHER;
}
