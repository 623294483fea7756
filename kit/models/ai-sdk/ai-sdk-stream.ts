import type {
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4ReasoningFile,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { Part, UsageMetadata } from "#kit/events/content.ts";
import { toFinishReason } from "#kit/models/answers/finish-reasons.ts";
import { toTokenCounts } from "#kit/models/answers/token-counts.ts";
import { toCallPart, unreadableArguments } from "#kit/models/answers/unreadable-call-arguments.ts";
import { checkHeldCalls } from "#kit/models/bounds/bounded-model.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import type { StreamChunk } from "#kit/models/stream-aggregator.ts";
import { markOf } from "./provider-metadata.ts";

type Finish = Pick<LanguageModelV4GenerateResult, "finishReason" | "usage">;

const FINISH_REASONS: Readonly<Partial<Record<LanguageModelV4FinishReason["unified"], string>>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
};

/** The chunks of one answer of `doStream`. A call is one chunk, when its arguments are complete. */
export class AiSdkAnswer {
  readonly #provider: string;
  /** What the provider has said about each block of text, by the block's id. */
  readonly #metadata = new Map<string, SharedV4ProviderMetadata>();
  /** The blocks of thoughts that have text. */
  readonly #thoughts = new Set<string>();
  /** Calls whose arguments cannot be read, possibly because the length limit cut them off. */
  readonly #brokenCalls: Part[] = [];
  #hasCalls = false;
  #finish: Finish | undefined;

  constructor(provider: string) {
    this.#provider = provider;
  }

  add(part: LanguageModelV4StreamPart): StreamChunk | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#learn(part);
        return undefined;
      case "text-delta":
        this.#learn(part);
        return chunk({ text: part.delta });
      case "reasoning-delta":
        this.#learn(part);
        if (part.delta !== "") this.#thoughts.add(part.id);
        return chunk({ text: part.delta, thought: true });
      case "text-end":
      case "reasoning-end":
        this.#learn(part);
        return { ...chunk(this.#endOf(part.id, part.type === "reasoning-end")), endOfPart: true };
      case "tool-call":
        return this.#addCall(part);
      case "file":
      case "reasoning-file":
        return chunk(this.#filePart(part));
      case "response-metadata":
        return part.modelId === undefined ? undefined : { modelVersion: part.modelId };
      case "finish":
        this.#finish = part;
        return undefined;
      case "error":
        throw part.error;
      default:
        // Warnings, arguments in pieces before their call, and what the provider has run itself.
        return undefined;
    }
  }

  finish(): StreamChunk {
    if (this.#finish === undefined || this.#finish.finishReason.unified === "interrupted")
      throw new ModelError("SERVER_ERROR", "The model's answer ended before it was complete.");
    const { finishReason, usage } = this.#finish;
    const reason =
      FINISH_REASONS[finishReason.unified] ?? toFinishReason(finishReason.raw ?? "error", { hasCalls: this.#hasCalls });
    const broken = reason === "STOP" ? this.#brokenCalls : [];
    return {
      content: broken.length > 0 ? { role: "model", parts: broken } : undefined,
      finishReason: reason,
      usageMetadata: toUsageMetadata(usage),
    };
  }

  #learn({
    id,
    providerMetadata,
  }: {
    readonly id: string;
    readonly providerMetadata?: SharedV4ProviderMetadata;
  }): void {
    if (providerMetadata === undefined) return;
    const known = this.#metadata.get(id) ?? {};
    for (const [name, members] of Object.entries(providerMetadata)) known[name] = { ...known[name], ...members };
    this.#metadata.set(id, known);
  }

  /** The end of a block, with what its provider wants back, and for a thought its provider's name. */
  #endOf(id: string, isThought: boolean): Part {
    const metadata = this.#metadata.get(id);
    const isMarked = metadata !== undefined || this.#thoughts.has(id);
    this.#metadata.delete(id);
    this.#thoughts.delete(id);
    return {
      text: "",
      thought: isThought ? true : undefined,
      ...(isMarked && markOf(this.#provider, metadata)),
    };
  }

  #addCall(call: LanguageModelV4ToolCall): StreamChunk | undefined {
    if (call.providerExecuted === true) return undefined;
    const part = toCallPart({ id: call.toolCallId, name: call.toolName, json: jsonOf(call.input) });
    const mark = call.providerMetadata === undefined ? {} : markOf(this.#provider, call.providerMetadata);
    const marked = { ...part, partMetadata: { ...part.partMetadata, ...mark.partMetadata } };
    const whole = Object.keys(marked.partMetadata).length === 0 ? part : marked;
    if (unreadableArguments(part) === undefined) {
      this.#hasCalls = true;
      return chunk(whole);
    }
    // The finish reason, which comes last, shows whether this is the model's fault.
    this.#brokenCalls.push(whole);
    checkHeldCalls(this.#brokenCalls.length);
    return undefined;
  }

  #filePart(file: LanguageModelV4File | LanguageModelV4ReasoningFile): Part {
    const { data, mediaType: mimeType, providerMetadata } = file;
    const decorations = {
      thought: file.type === "reasoning-file" ? true : undefined,
      ...markOf(this.#provider, providerMetadata),
    };
    if (data.type === "url") return { fileData: { fileUri: data.url.href, mimeType }, ...decorations };
    const base64 = typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64");
    return { inlineData: { mimeType, data: base64 }, ...decorations };
  }
}

/** The chunks of an answer of `doGenerate`: those of a stream that has the same content. */
export function* fromAiSdkResult(result: LanguageModelV4GenerateResult, provider: string): Iterable<StreamChunk> {
  const answer = new AiSdkAnswer(provider);
  for (const part of [...streamPartsOf(result), { type: "finish" as const, ...result }]) {
    const chunk = answer.add(part);
    if (chunk !== undefined) yield chunk;
  }
  yield answer.finish();
}

function* streamPartsOf({ content, response }: LanguageModelV4GenerateResult): Iterable<LanguageModelV4StreamPart> {
  if (response?.modelId !== undefined) yield { type: "response-metadata", modelId: response.modelId };
  for (const [index, part] of content.entries()) {
    if (part.type !== "text" && part.type !== "reasoning") {
      yield part;
      continue;
    }
    const { type, text, providerMetadata } = part;
    const id = String(index);
    yield { type: `${type}-delta`, id, delta: text };
    yield { type: `${type}-end`, id, providerMetadata };
  }
}

/** The SDK's type is JSON text; some providers pass an object on as they got it. */
function jsonOf(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}

function chunk(part: Part): StreamChunk {
  return { content: { role: "model", parts: [part] } };
}

function toUsageMetadata({ inputTokens, outputTokens }: LanguageModelV4Usage): UsageMetadata {
  return toTokenCounts({
    prompt: inputTokens.total,
    output: outputTokens.total,
    thoughts: outputTokens.reasoning,
    cached: inputTokens.cacheRead,
  });
}
