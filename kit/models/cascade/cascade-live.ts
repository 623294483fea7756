import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { checkOptions, having, type OptionRules, required, text } from "#kit/schema/check-options.ts";
import { CascadeConnection } from "./cascade-connection.ts";
import type { SpeechClient } from "./speech-client.ts";

/** Options of `CascadeLive`. */
export interface CascadeLiveOptions {
  /** Answers the user's words. */
  readonly model: BaseLlm;
  /** Recognizes and speaks. It belongs to the caller, who closes it. */
  readonly speech: SpeechClient;
  /** The name in requests and traces; `cascade/` and the model's name by default. */
  readonly name?: string | undefined;
}

const RULES: OptionRules<CascadeLiveOptions> = {
  model: required(having("generateContentAsync")),
  speech: required(having("transcribe", "synthesize", "close")),
  name: text,
};

/**
 * Any text model as a live one: the user's speech becomes text, the model answers it, and its answer is spoken sentence
 * by sentence. When the user speaks, the answer stops, and the model sees of it what was spoken. The constructor throws
 * `INVALID_FIELD`.
 *
 * @example
 * ```ts
 * import { Claude, CascadeLive, type SpeechClient } from "fairlead/models";
 *
 * export const liveModel = (speech: SpeechClient) =>
 *   new CascadeLive({ model: new Claude({ model: "claude-sonnet-5-5" }), speech });
 * ```
 */
export class CascadeLive implements BaseLlm {
  readonly model: string;
  readonly supportsOutputSchemaWithTools: boolean;
  readonly #model: BaseLlm;
  readonly #speech: SpeechClient;

  constructor(options: CascadeLiveOptions) {
    checkOptions("new CascadeLive", options, RULES);
    this.#model = options.model;
    this.#speech = options.speech;
    this.model = options.name ?? `cascade/${options.model.model}`;
    this.supportsOutputSchemaWithTools = options.model.supportsOutputSchemaWithTools ?? false;
  }

  assertConfigured(): void {
    this.#model.assertConfigured?.();
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    return this.#model.generateContentAsync(request, options);
  }

  async connect(request: LlmRequest, { config, signal }: ConnectOptions): Promise<BaseLlmConnection> {
    signal.throwIfAborted();
    const { responseModalities: modalities = ["AUDIO"] } = config;
    const speaks = !modalities.some((modality) => /^text$/i.test(modality));
    return new CascadeConnection({ model: this.#model, speech: this.#speech, request, speaks, signal });
  }
}
