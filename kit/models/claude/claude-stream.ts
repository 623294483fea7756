import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { throwFailure } from "#kit/models/answers/answer-failure.ts";
import { answerValues } from "#kit/models/answers/answer-values.ts";
import { toFinishReason } from "#kit/models/answers/finish-reasons.ts";
import { toTokenCounts } from "#kit/models/answers/token-counts.ts";
import { toCallPart, unreadableArguments } from "#kit/models/answers/unreadable-call-arguments.ts";
import { checkHeldCalls } from "#kit/models/bounds/bounded-model.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A call whose arguments may be incomplete. Servers give them in pieces, or whole at the beginning. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  json: string;
}

/** The chunks of an answer, streamed or not. A call is one chunk, when its arguments are complete. */
export async function* fromClaudeResponse(response: Response): AsyncIterable<StreamChunk> {
  const answer = new ClaudeAnswer();
  for await (const event of answerValues(response)) {
    if (isJsonObject(event)) yield* answer.add(event);
    if (answer.isAtEnd) break;
  }
  yield* answer.finish();
}

/** Reads events of any server of the protocol: nothing but texts, calls and their names has to be there. */
class ClaudeAnswer {
  /** Calls that have begun, by the index of their block. */
  readonly #open = new Map<JsonValue, OpenCall>();
  #newest: JsonValue = null;
  /** Calls whose arguments cannot be read, possibly because the length limit cut them off. */
  readonly #brokenCalls: Part[] = [];
  #hasCalls = false;
  readonly #usage: Record<string, number> = {};
  #word: string | undefined;
  #isAtEnd = false;

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  *add(event: JsonObject): Iterable<StreamChunk> {
    switch (event["type"]) {
      case "message_start":
        return yield* this.#describe(event["message"]);
      case "message":
        return yield* this.#whole(event);
      case "content_block_start":
        return yield* this.#start(event["index"], event["content_block"]);
      case "content_block_delta":
        return yield* this.#grow(event["index"], event["delta"]);
      case "content_block_stop":
        yield* this.#close(event["index"] ?? this.#newest);
        return yield { endOfPart: true };
      case "message_delta":
        this.#count(event["usage"]);
        return this.#learnReason(event["delta"]);
      case "message_stop":
        this.#isAtEnd = true;
        return;
      default:
        // Events of types that the API may add, and failures.
        return throwFailure(event, { isAnswer: typeof event["type"] === "string" });
    }
  }

  *finish(): Iterable<StreamChunk> {
    for (const index of [...this.#open.keys()]) yield* this.#close(index);
    const word = this.#word ?? (this.#isAtEnd ? "stop" : undefined);
    if (word === undefined) throw new ModelError("SERVER_ERROR", "Claude's answer ended before it was complete.");
    const reason = toFinishReason(word, { hasCalls: this.#hasCalls });
    const broken = reason === "STOP" ? this.#brokenCalls : [];
    yield {
      content: broken.length > 0 ? { role: "model", parts: broken } : undefined,
      finishReason: reason,
      usageMetadata: Object.keys(this.#usage).length > 0 ? toUsageMetadata(this.#usage) : undefined,
    };
  }

  *#describe(message: JsonValue | undefined): Iterable<StreamChunk> {
    if (!isJsonObject(message)) return;
    this.#count(message["usage"]);
    const model = stringOf(message["model"]);
    if (model !== "") yield { modelVersion: model };
  }

  *#whole(message: JsonObject): Iterable<StreamChunk> {
    yield* this.#describe(message);
    const { content } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const [index, block] of (Array.isArray(blocks) ? blocks : []).entries()) {
      yield* this.#start(index, block);
      yield* this.#close(index);
      yield { endOfPart: true };
    }
    this.#learnReason(message);
    this.#isAtEnd = true;
  }

  *#start(index: JsonValue = null, block: JsonValue | undefined): Iterable<StreamChunk> {
    yield* this.#close(index);
    if (!isJsonObject(block)) return;
    const { type, id, name, input = null, text, thinking, signature, data } = block;
    if (type === "tool_use") {
      this.#open.set(index, { id: stringOf(id), name: stringOf(name), input, json: "" });
      this.#newest = index;
      checkHeldCalls(this.#open.size + this.#brokenCalls.length);
    }
    if (type === "redacted_thinking") yield chunk({ thought: true, thoughtSignature: stringOf(data) });
    if (type === "text") yield* textChunk(text, false);
    if (type !== "thinking") return;
    yield* textChunk(thinking, true);
    yield* signatureChunk(signature);
  }

  *#grow(index: JsonValue = this.#newest, delta: JsonValue | undefined): Iterable<StreamChunk> {
    if (!isJsonObject(delta)) return;
    const call = this.#open.get(index) ?? this.#open.get(this.#newest);
    if (delta["type"] === "input_json_delta" && call !== undefined) call.json += pieceOf(delta["partial_json"]);
    yield* textChunk(delta["text"], false);
    yield* textChunk(delta["thinking"], true);
    yield* signatureChunk(delta["signature"]);
  }

  *#close(index: JsonValue): Iterable<StreamChunk> {
    const call = this.#open.get(index);
    if (call === undefined) return;
    this.#open.delete(index);
    const part = toCallPart({ ...call, json: call.json === "" ? jsonOf(call.input) : call.json });
    if (unreadableArguments(part) === undefined) {
      this.#hasCalls = true;
      yield chunk(part);
      return;
    }
    // The stop reason, which comes last, shows whether this is the model's fault.
    this.#brokenCalls.push(part);
  }

  /** Counts only grow: later events repeat earlier ones, or have 0 or null for what is known. */
  #count(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    const { output_tokens_details: details, ...counts } = usage;
    for (const [name, count] of Object.entries({ ...counts, ...(isJsonObject(details) && details) }))
      if (typeof count === "number") this.#usage[name] = Math.max(this.#usage[name] ?? 0, count);
  }

  #learnReason(delta: JsonValue | undefined): void {
    const word = isJsonObject(delta) ? stringOf(delta["stop_reason"]) : "";
    if (word !== "") this.#word = word;
  }
}

function* textChunk(text: JsonValue | undefined, isThought: boolean): Iterable<StreamChunk> {
  if (typeof text === "string" && text !== "") yield chunk({ text, thought: isThought ? true : undefined });
}

function* signatureChunk(signature: JsonValue | undefined): Iterable<StreamChunk> {
  if (typeof signature === "string" && signature !== "")
    yield chunk({ text: "", thought: true, thoughtSignature: signature });
}

function chunk(part: Part): StreamChunk {
  return { content: { role: "model", parts: [part] } };
}

function jsonOf(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Some servers give the arguments as an object, not as its text. */
function pieceOf(json: JsonValue | undefined): string {
  return isJsonObject(json) ? JSON.stringify(json) : stringOf(json);
}

/** Gemini's prompt count includes the tokens read from or written to the cache; Claude counts these separately. */
function toUsageMetadata(usage: Readonly<Record<string, number>>): UsageMetadata {
  const cached = usage["cache_read_input_tokens"] ?? 0;
  return toTokenCounts({
    prompt: (usage["input_tokens"] ?? 0) + (usage["cache_creation_input_tokens"] ?? 0) + cached,
    output: usage["output_tokens"],
    thoughts: usage["thinking_tokens"],
    cached,
  });
}
