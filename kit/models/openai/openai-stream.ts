import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { toCallPart } from "#kit/models/broken-arguments.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";

/** The common members of streamed chunks and complete messages, with the additions of compatible servers. */
interface Message {
  readonly content?: string | null;
  readonly refusal?: string | null;
  /** Thinking, in the form that several compatible servers send. */
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ToolCallChunk[] | null;
}

interface ToolCallChunk {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } };
}

/** A call whose arguments are still incomplete. */
interface OpenCall {
  id: string;
  name: string;
  json: string;
  signature: string | undefined;
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  function_call: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

/** The chunks of a streamed answer. A call is one chunk, when its arguments are complete. */
export async function* fromOpenAiStream(chunks: AsyncIterable<ChatCompletionChunk>): AsyncIterable<StreamChunk> {
  const answer = new OpenAiAnswer();
  for await (const { model, choices, usage } of chunks) {
    const choice = choices?.[0];
    // The SDK's type lacks the additions of compatible servers.
    yield { ...answer.add((choice?.delta ?? {}) as Message, choice?.finish_reason), ...description(model, usage) };
  }
  yield answer.finish();
}

export function* fromOpenAiCompletion({ model, choices, usage }: ChatCompletion): Iterable<StreamChunk> {
  const answer = new OpenAiAnswer();
  const choice = choices[0];
  // The SDK's type lacks the additions of compatible servers. A complete message has every member that a chunk may
  // have.
  yield { ...answer.add((choice?.message ?? {}) as Message, choice?.finish_reason), ...description(model, usage) };
  yield answer.finish();
}

class OpenAiAnswer {
  readonly #calls: OpenCall[] = [];
  #finish: string | undefined;
  #refusal = "";

  add(message: Message, finishReason: string | null | undefined): StreamChunk {
    if (finishReason !== undefined && finishReason !== null) this.#finish = FINISH_REASONS[finishReason] ?? "OTHER";
    for (const [position, chunk] of (message.tool_calls ?? []).entries()) this.#addCall(chunk, position);
    this.#refusal += message.refusal ?? "";
    const thinking = message.reasoning_content ?? message.reasoning ?? "";
    const text = (message.content ?? "") + (message.refusal ?? "");
    const parts: Part[] = [
      ...(thinking === "" ? [] : [{ text: thinking, thought: true }]),
      ...(text === "" ? [] : [{ text }]),
    ];
    return parts.length === 0 ? {} : { content: { role: "model", parts } };
  }

  finish(): StreamChunk {
    if (this.#finish === undefined)
      throw new ModelError("SERVER_ERROR", "The model's answer ended before it was complete.");
    const parts = this.#finish === "STOP" ? this.#calls.map(toPart) : [];
    const refused = this.#refusal !== "";
    return {
      ...(parts.length > 0 && { content: { role: "model", parts } }),
      finishReason: refused ? "SAFETY" : this.#finish,
      ...(refused && { errorMessage: this.#refusal }),
    };
  }

  #addCall(chunk: ToolCallChunk, position: number): void {
    const call = this.#callAt(chunk.index ?? position);
    call.id ||= chunk.id ?? "";
    call.name ||= chunk.function?.name ?? "";
    call.json += chunk.function?.arguments ?? "";
    call.signature ??= chunk.extra_content?.google?.thought_signature;
  }

  /** Calls are numbered without gaps; a number that would leave a gap belongs to the next call. */
  #callAt(index: number): OpenCall {
    const known = this.#calls[index];
    if (known !== undefined) return known;
    const call = { id: "", name: "", json: "", signature: undefined };
    this.#calls.push(call);
    return call;
  }
}

function toPart(call: OpenCall): Part {
  const { signature } = call;
  return { ...toCallPart(call), ...(signature !== undefined && { thoughtSignature: signature }) };
}

function description(model: string | undefined, usage: CompletionUsage | null | undefined): StreamChunk {
  return {
    ...(model !== undefined && model !== "" && { modelVersion: model }),
    ...(usage !== undefined && usage !== null && { usageMetadata: toUsageMetadata(usage) }),
  };
}

/** Gemini counts thoughts separately from the answer; this protocol includes them. */
function toUsageMetadata(usage: CompletionUsage): UsageMetadata {
  const thoughts = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    promptTokenCount: usage.prompt_tokens,
    candidatesTokenCount: usage.completion_tokens - thoughts,
    totalTokenCount: usage.total_tokens,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}
