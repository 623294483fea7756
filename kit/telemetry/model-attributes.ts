import type { Event } from "../events/event.ts";
import type { StepContext } from "../flow/step-context.ts";
import type { JsonValue } from "../platform/json.ts";

/** Stands for content that may not be recorded; readers expect the key to be there. */
export const CONTENT_WITHHELD = "{}";

/** Attributes of a model call's span before the call, by the GenAI semantic conventions and the names ADK's UI reads. */
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

/** Attributes that are known once the model has answered. */
export function responseAttributes({ context }: StepContext, event: Event | undefined): Record<string, JsonValue> {
  const { usageMetadata = {} } = event ?? {};
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usageMetadata;
  const { cachedContentTokenCount } = usageMetadata;
  const input = sum(promptTokenCount, toolUsePromptTokenCount);
  const output = sum(candidatesTokenCount, thoughtsTokenCount);
  return {
    "gcp.vertex.agent.llm_response":
      context.services.captureContent && event !== undefined
        ? JSON.stringify({ content: event.content })
        : CONTENT_WITHHELD,
    ...(input !== undefined && { "gen_ai.usage.input_tokens": input }),
    ...(output !== undefined && { "gen_ai.usage.output_tokens": output }),
    ...(cachedContentTokenCount !== undefined && { "gen_ai.usage.cache_read.input_tokens": cachedContentTokenCount }),
    ...(thoughtsTokenCount !== undefined && { "gen_ai.usage.reasoning.output_tokens": thoughtsTokenCount }),
    ...(event?.finishReason !== undefined && { "gen_ai.response.finish_reasons": [event.finishReason.toLowerCase()] }),
  };
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

/** Binary data is told by its size. */
function withoutData(key: string, value: unknown): unknown {
  return key === "data" && typeof value === "string" && value.length > 256
    ? `<${value.length} characters of base64>`
    : value;
}
