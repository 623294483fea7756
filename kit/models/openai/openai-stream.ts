import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { toCallPart } from "#kit/models/broken-arguments.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamPiece } from "#kit/models/stream-aggregator.ts";

/** What pieces of a stream and complete messages have in common, with what compatible servers add. */
interface Message {
  readonly content?: string | null;
  readonly refusal?: string | null;
  /** Thinking, as several compatible servers send it. */
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ToolCallPiece[] | null;
}

interface ToolCallPiece {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string } };
}

/** A call whose arguments are still coming. */
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

/** Pieces of a streamed answer. Calls come as one piece each, when their arguments are whole. */
export async function* fromOpenAiStream(chunks: AsyncIterable<ChatCompletionChunk>): AsyncIterable<StreamPiece> {
  const answer = new OpenAiAnswer();
  for await (const { model, choices, usage } of chunks) {
    const choice = choices?.[0];
    // The SDK's type leaves out what compatible servers add.
    yield { ...answer.add((choice?.delta ?? {}) as Message, choice?.finish_reason), ...description(model, usage) };
  }
  yield answer.finish();
}

export function* fromOpenAiCompletion({ model, choices, usage }: ChatCompletion): Iterable<StreamPiece> {
  const answer = new OpenAiAnswer();
  const choice = choices[0];
  // As above; a complete message has everything that a piece may have.
  yield { ...answer.add((choice?.message ?? {}) as Message, choice?.finish_reason), ...description(model, usage) };
  yield answer.finish();
}

class OpenAiAnswer {
  readonly #calls: OpenCall[] = [];
  #finish: string | undefined;
  #refusal = "";

  add(message: Message, finishReason: string | null | undefined): StreamPiece {
    if (finishReason !== undefined && finishReason !== null) this.#finish = FINISH_REASONS[finishReason] ?? "OTHER";
    for (const [position, piece] of (message.tool_calls ?? []).entries()) this.#addCall(piece, position);
    this.#refusal += message.refusal ?? "";
    const thinking = message.reasoning_content ?? message.reasoning ?? "";
    const text = (message.content ?? "") + (message.refusal ?? "");
    const parts: Part[] = [
      ...(thinking === "" ? [] : [{ text: thinking, thought: true }]),
      ...(text === "" ? [] : [{ text }]),
    ];
    return parts.length === 0 ? {} : { content: { role: "model", parts } };
  }

  finish(): StreamPiece {
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

  #addCall(piece: ToolCallPiece, position: number): void {
    const call = this.#callAt(piece.index ?? position);
    call.id ||= piece.id ?? "";
    call.name ||= piece.function?.name ?? "";
    call.json += piece.function?.arguments ?? "";
    call.signature ??= piece.extra_content?.google?.thought_signature;
  }

  /** Calls are numbered without gaps; a number that leaves one belongs to the next call. */
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

function description(model: string | undefined, usage: CompletionUsage | null | undefined): StreamPiece {
  return {
    ...(model !== undefined && model !== "" && { modelVersion: model }),
    ...(usage !== undefined && usage !== null && { usageMetadata: toUsageMetadata(usage) }),
  };
}

/** Gemini's counts keep thoughts apart from the answer; here they are part of it. */
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
