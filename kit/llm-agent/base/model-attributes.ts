import { StreamingMode } from "#kit/core/context/run-config.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { withProperties } from "#kit/models/model-properties.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { UNMEASURED } from "#kit/telemetry/gen-ai-metrics.ts";
import { operationOf, UNKNOWN_PROVIDER } from "#kit/telemetry/provider-name.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import { type Observability, observabilityOf } from "./model-observability.ts";
import type { StepContext } from "./step-context.ts";

/** Replaces content that may not be recorded; readers require the key. */
export const CONTENT_WITHHELD = "{}";

/** Members of a request's config by the attributes that report them. */
const PARAMETERS = [
  ["temperature", "gen_ai.request.temperature"],
  ["topP", "gen_ai.request.top_p"],
  ["topK", "gen_ai.request.top_k"],
  ["maxOutputTokens", "gen_ai.request.max_tokens"],
  ["stopSequences", "gen_ai.request.stop_sequences"],
  ["seed", "gen_ai.request.seed"],
  ["presencePenalty", "gen_ai.request.presence_penalty"],
  ["frequencyPenalty", "gen_ai.request.frequency_penalty"],
] as const;

/** The model that a step calls, and what is recorded of the call. */
export interface WatchedModel {
  readonly model: BaseLlm;
  readonly observability: Observability;
}

export function watchedModel(step: StepContext): WatchedModel {
  const model = step.agent.resolveModel();
  return { model, observability: observabilityOf(step, model) };
}

/** Whether the model's answer is asked for in chunks. Live connections have a flow of their own; here BIDI is like SSE. */
export function isStreamed({ context }: StepContext): boolean {
  return context.runConfig.streamingMode !== StreamingMode.NONE;
}

/**
 * Attributes of a model call's span before the call: the GenAI semantic conventions v0.1.0, and the names that ADK's UI
 * reads.
 */
export function requestAttributes(
  step: StepContext,
  eventId: string,
  { model, observability: { includeContent, metricsEnabled } }: WatchedModel,
): Record<string, JsonValue> {
  const { agent, context, request } = step;
  const { providerName: provider = UNKNOWN_PROVIDER, properties } = model;
  const config = withProperties(request.config, properties, context.services.modelProperties);
  const attributes: Record<string, JsonValue> = {
    "gen_ai.operation.name": operationOf(provider),
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": request.model,
    "gen_ai.conversation.id": context.session.id,
    "gen_ai.agent.name": agent.name,
    "gcp.vertex.agent.invocation_id": context.invocationId,
    "gcp.vertex.agent.session_id": context.session.id,
    "gcp.vertex.agent.event_id": eventId,
    "gcp.vertex.agent.llm_request": includeContent ? requestContent(request) : CONTENT_WITHHELD,
  };
  if (!metricsEnabled) attributes[UNMEASURED] = true;
  if (isStreamed(step)) attributes["gen_ai.request.stream"] = true;
  if (config.responseSchema !== undefined) attributes["gen_ai.output.type"] = "json";
  for (const [member, attribute] of PARAMETERS) {
    const value = config[member];
    if (value !== undefined) attributes[attribute] = value;
  }
  return attributes;
}

/** Sets the attributes of the model's answer. */
export function setResponseAttributes(
  span: ActiveSpan,
  { includeContent }: Observability,
  event: Event | undefined,
): void {
  const isShown = event !== undefined && includeContent;
  span.set("gcp.vertex.agent.llm_response", isShown ? JSON.stringify({ content: event.content }) : CONTENT_WITHHELD);
  if (event !== undefined) setAnswerFacts(span, event);
}

/** Sets what is known of an answer beside its content. */
export function setAnswerFacts(
  span: ActiveSpan,
  { modelVersion, finishReason, usageMetadata }: Pick<LlmResponse, "modelVersion" | "finishReason" | "usageMetadata">,
): void {
  span.set("gen_ai.response.model", modelVersion);
  if (finishReason !== undefined) span.set("gen_ai.response.finish_reasons", [finishReason.toLowerCase()]);
  if (usageMetadata !== undefined) setUsage(span, usageMetadata);
}

function setUsage(span: ActiveSpan, usage: UsageMetadata): void {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage;
  span.set("gen_ai.usage.input_tokens", sum(promptTokenCount, toolUsePromptTokenCount));
  span.set("gen_ai.usage.output_tokens", sum(candidatesTokenCount, thoughtsTokenCount));
  span.set("gen_ai.usage.cache_read.input_tokens", usage.cachedContentTokenCount);
  span.set("gen_ai.usage.reasoning.output_tokens", thoughtsTokenCount);
}

function sum(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined && second === undefined ? undefined : (first ?? 0) + (second ?? 0);
}

function requestContent(request: StepContext["request"]): string {
  const { model, contents, config, systemInstruction, functionDeclarations } = request;
  return JSON.stringify(
    { model, contents, config: { ...config, systemInstruction, tools: [{ functionDeclarations }] } },
    withoutData,
  );
}

/** Replaces binary data by its size. */
function withoutData(key: string, value: unknown): unknown {
  return key === "data" && typeof value === "string" && value.length > 256
    ? `<${value.length} characters of base64>`
    : value;
}
