import type {
  Response as OpenAiResponse,
  ResponseOutputItem,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import type { Part } from "#kit/events/content.ts";
import { throwFailure } from "#kit/models/answers/answer-failure.ts";
import { toFinishReason } from "#kit/models/answers/finish-reasons.ts";
import { toTokenCounts } from "#kit/models/answers/token-counts.ts";
import { toCallPart } from "#kit/models/answers/unreadable-call-arguments.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** The chunks of a streamed answer of OpenAI's Responses API. */
export async function* fromResponsesStream(events: AsyncIterable<ResponseStreamEvent>): AsyncGenerator<StreamChunk> {
  let isRefused = false;
  for await (const event of events) {
    switch (event.type) {
      case "response.output_text.delta":
        yield chunkOf({ text: event.delta });
        break;
      case "response.refusal.delta":
        isRefused = true;
        yield chunkOf({ text: event.delta });
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        yield chunkOf({ text: event.delta, thought: true });
        break;
      case "response.output_item.done":
        // Texts have come in pieces.
        if (event.item.type === "function_call") yield chunkOf(callOf(event.item));
        if (event.item.type === "reasoning") yield { ...chunkOf(markOf(event.item)), endOfPart: true };
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        yield endOf(event.response, isRefused);
        return;
      case "error":
        throwFailure(asJson(event), { isAnswer: false });
        break;
    }
  }
  throw new ModelError("SERVER_ERROR", "The model's answer ended before it was complete.");
}

/** The chunks of a whole answer. */
export async function* fromResponses(response: OpenAiResponse): AsyncGenerator<StreamChunk> {
  let isRefused = false;
  for (const item of response.output ?? []) {
    for (const part of partsOf(item)) yield chunkOf(part);
    isRefused ||= item.type === "message" && item.content.some(({ type }) => type === "refusal");
    yield { endOfPart: true };
  }
  yield endOf(response, isRefused);
}

function partsOf(item: ResponseOutputItem): readonly Part[] {
  switch (item.type) {
    case "message":
      return item.content.map((content) => ({ text: content.type === "refusal" ? content.refusal : content.text }));
    case "function_call":
      return [callOf(item)];
    case "reasoning":
      return [...item.summary.map(({ text }) => ({ text, thought: true })), markOf(item)];
    default:
      return [];
  }
}

function callOf({ call_id, name, arguments: json }: Extract<ResponseOutputItem, { type: "function_call" }>): Part {
  return toCallPart({ id: call_id, name, json });
}

/** Joins the thought before it, which goes back with it. */
function markOf({ id, encrypted_content: encrypted }: ResponseReasoningItem): Part {
  const reasoning: JsonObject = typeof encrypted === "string" ? { id, encrypted } : { id };
  return { text: "", thought: true, partMetadata: { openAi: { reasoning } } };
}

function endOf(response: OpenAiResponse, isRefused: boolean): StreamChunk {
  const { status, incomplete_details: details, usage, model, error } = response;
  if (status === "failed" || (error !== null && error !== undefined))
    throwFailure(asJson({ error: error ?? { message: "The response failed." } }), { isAnswer: false });
  const reason = status === "incomplete" ? toFinishReason(details?.reason ?? "other", { hasCalls: false }) : "STOP";
  return {
    finishReason: isRefused && reason === "STOP" ? "SAFETY" : reason,
    modelVersion: model,
    usageMetadata:
      usage === undefined || usage === null
        ? undefined
        : toTokenCounts({
            prompt: usage.input_tokens,
            output: usage.output_tokens,
            thoughts: usage.output_tokens_details?.reasoning_tokens,
            cached: usage.input_tokens_details?.cached_tokens,
            total: usage.total_tokens,
          }),
  };
}

function chunkOf(part: Part): StreamChunk {
  return { content: { role: "model", parts: [part] } };
}

/** Events are JSON; the SDK's types say more of them. */
function asJson(event: object): JsonObject {
  return event as unknown as JsonObject;
}
