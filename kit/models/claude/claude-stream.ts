import type {
  RawContentBlockDelta,
  RawContentBlockStartEvent,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { brokenArguments, toCallPart } from "#kit/models/broken-arguments.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";

/** Token counts; later events of a stream repeat and correct earlier ones. */
interface Usage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  json: string;
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: "STOP",
  stop_sequence: "STOP",
  tool_use: "STOP",
  max_tokens: "MAX_TOKENS",
  model_context_window_exceeded: "MAX_TOKENS",
  refusal: "SAFETY",
};

/** The chunks of a streamed answer. A call is one chunk, when its arguments are complete. */
export async function* fromClaudeStream(events: AsyncIterable<RawMessageStreamEvent>): AsyncIterable<StreamChunk> {
  const answer = new ClaudeAnswer();
  for await (const event of events) {
    const chunk = answer.add(event);
    if (chunk !== undefined) yield chunk;
  }
  yield answer.finish();
}

class ClaudeAnswer {
  /** Blocks follow one another and are never interleaved; a call is kept until its arguments are complete. */
  #call: OpenCall | undefined;
  /** Calls whose arguments cannot be read, possibly because the length limit cut them off. */
  readonly #brokenCalls: Part[] = [];
  #usage: Usage = {};
  #finish: string | undefined;

  add(event: RawMessageStreamEvent): StreamChunk | undefined {
    switch (event.type) {
      case "message_start":
        this.#usage = event.message.usage;
        return { modelVersion: event.message.model };
      case "content_block_start":
        return this.#start(event.content_block);
      case "content_block_delta":
        return this.#grow(event.delta);
      case "content_block_stop":
        return this.#stop();
      case "message_delta":
        this.#usage = { ...this.#usage, ...known(event.usage) };
        this.#finish =
          event.delta.stop_reason === null ? undefined : (FINISH_REASONS[event.delta.stop_reason] ?? "OTHER");
        return undefined;
      default:
        // message_stop, and event types that the API may add.
        return undefined;
    }
  }

  finish(): StreamChunk {
    if (this.#finish === undefined)
      throw new ModelError("SERVER_ERROR", "Claude's answer ended before it was complete.");
    const broken = this.#finish === "STOP" ? this.#brokenCalls : [];
    return {
      ...(broken.length > 0 && { content: { role: "model", parts: broken } }),
      finishReason: this.#finish,
      usageMetadata: toUsageMetadata(this.#usage),
    };
  }

  #start(block: RawContentBlockStartEvent["content_block"]): StreamChunk | undefined {
    if (block.type === "tool_use") this.#call = { id: block.id, name: block.name, json: "" };
    if (block.type === "redacted_thinking") return chunk({ thought: true, thoughtSignature: block.data });
    if (block.type === "text" && block.text !== "") return chunk({ text: block.text });
    if (block.type === "thinking" && block.thinking !== "") return chunk({ text: block.thinking, thought: true });
    return undefined;
  }

  #grow(delta: RawContentBlockDelta): StreamChunk | undefined {
    switch (delta.type) {
      case "text_delta":
        return chunk({ text: delta.text });
      case "thinking_delta":
        return chunk({ text: delta.thinking, thought: true });
      case "signature_delta":
        return chunk({ text: "", thought: true, thoughtSignature: delta.signature });
      case "input_json_delta":
        if (this.#call !== undefined) this.#call.json += delta.partial_json;
        return undefined;
      default:
        return undefined;
    }
  }

  #stop(): StreamChunk {
    const call = this.#call;
    this.#call = undefined;
    if (call === undefined) return { endOfPart: true };
    const part = toCallPart(call);
    if (brokenArguments(part) === undefined) return chunk(part);
    // The stop reason, which follows the block, shows whether this is the model's fault.
    this.#brokenCalls.push(part);
    return {};
  }
}

function chunk(part: Part): StreamChunk {
  return { content: { role: "model", parts: [part] } };
}

/** The final counts omit, or set to null, those that the first ones contain. */
function known(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => typeof value === "number"));
}

/** Gemini's prompt count includes the tokens read from or written to the cache; Claude counts these separately. */
function toUsageMetadata(usage: Usage): UsageMetadata {
  const cached = usage.cache_read_input_tokens ?? 0;
  const prompt = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cached;
  const output = usage.output_tokens ?? 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}
