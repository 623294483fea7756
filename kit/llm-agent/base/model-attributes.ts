import type { UsageMetadata } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import type { StepContext } from "./step-context.ts";

/** Replaces content that may not be recorded; readers require the key. */
export const CONTENT_WITHHELD = "{}";

/**
 * Attributes of a model call's span before the call, by the GenAI semantic conventions and the names that ADK's UI
 * reads.
 */
export function requestAttributes({ context, request }: StepContext, eventId: string): Record<string, JsonValue> {
  const { maxOutputTokens, topP } = request.config;
  return {
    "gen_ai.operation.name": "call_llm",
    "gen_ai.system": "gcp.vertex.agent",
    "gen_ai.request.model": request.model,
    "gen_ai.conversation.id": context.session.id,
    "gcp.vertex.agent.invocation_id": context.invocationId,
    "gcp.vertex.agent.session_id": context.session.id,
    "gcp.vertex.agent.event_id": eventId,
    "gcp.vertex.agent.llm_request": context.services.captureContent ? requestContent(request) : CONTENT_WITHHELD,
    ...(topP !== undefined && { "gen_ai.request.top_p": topP }),
    ...(maxOutputTokens !== undefined && { "gen_ai.request.max_tokens": maxOutputTokens }),
  };
}

/** Sets the attributes of the model's answer. */
export function setResponseAttributes(span: ActiveSpan, { context }: StepContext, event: Event | undefined): void {
  const isShown = context.services.captureContent && event !== undefined;
  span.set("gcp.vertex.agent.llm_response", isShown ? JSON.stringify({ content: event.content }) : CONTENT_WITHHELD);
  if (event?.finishReason !== undefined) span.set("gen_ai.response.finish_reasons", [event.finishReason.toLowerCase()]);
  if (event?.usageMetadata !== undefined) setUsage(span, event.usageMetadata);
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
