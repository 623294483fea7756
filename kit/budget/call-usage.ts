import { estimateTokens } from "#kit/compaction/estimate-tokens.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { isJsonObject } from "#kit/platform/json.ts";

const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a request's prompt by its size: instructions and the declarations of tools included. */
export function estimatePrompt({ contents, systemInstructions, functionDeclarations }: LlmRequest): number {
  let tokens = 0;
  for (const content of contents) tokens += estimateTokens(content);
  let characters = 0;
  for (const instruction of systemInstructions) characters += instruction.length;
  if (functionDeclarations.length > 0) characters += JSON.stringify(functionDeclarations).length;
  return Math.ceil(tokens + characters / CHARACTERS_PER_TOKEN);
}

/**
 * The usage of one call: as the model reports it, or else estimated from the size of the prompt and of the answer so
 * far.
 */
export class CallUsage {
  readonly #promptTokens: number;
  #reported: UsageMetadata | undefined;
  #outputTokens = 0;
  #mayHaveUsed = false;

  constructor(promptTokens: number) {
    this.#promptTokens = promptTokens;
  }

  /** The prompt's tokens as the model reported them. */
  get reportedPromptTokens(): number | undefined {
    return this.#reported?.promptTokenCount;
  }

  add({ usageMetadata, content, partial }: LlmResponse): void {
    this.#mayHaveUsed = true;
    // Models are code of authors, who may report anything.
    if (isJsonObject(usageMetadata)) this.#reported = usageMetadata;
    this.#outputTokens = partial === true ? this.#outputTokens + estimateTokens(content) : estimateTokens(content);
  }

  /** The call is aborted: the model may have read the prompt, even if it has not begun to answer. */
  abort(): void {
    this.#mayHaveUsed = true;
  }

  /** Nothing for a call that has failed before the model began to answer. */
  get used(): UsageMetadata {
    if (!this.#mayHaveUsed) return {};
    if (this.#reported !== undefined) return this.#reported;
    return { promptTokenCount: this.#promptTokens, candidatesTokenCount: Math.ceil(this.#outputTokens) };
  }
}
