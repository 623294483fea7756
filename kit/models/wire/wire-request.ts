import type { Content } from "#kit/events/content.ts";
import type { ContextCacheRequest } from "#kit/models/context-cache-config.ts";
import type { FunctionDeclaration, GenerateContentConfig } from "#kit/models/llm-request.ts";

/** A request in the form that one provider takes: adapters convert it to their protocol and decide nothing else. */
export interface WireRequest {
  readonly model: string;
  readonly systemInstruction: string;
  readonly contents: readonly Content[];
  readonly config: GenerateContentConfig;
  readonly functionDeclarations: readonly FunctionDeclaration[];
  readonly contextCache: ContextCacheRequest | undefined;
  /** The output schema is one that OpenAI's strict mode takes. */
  readonly strictOutput: boolean;
}
