import type { BaseLlmConnection, ConnectOptions } from "./base-llm-connection.ts";
import type { LlmRequest } from "./llm-request.ts";
import type { LlmResponse } from "./llm-response.ts";

export interface GenerateOptions {
  /** Ask for pieces as they come; without it exactly one complete response is given. */
  readonly stream: boolean;
  /** Aborts the call to the provider. */
  readonly signal: AbortSignal;
}

/** A model. Implementations keep no state between calls and may serve many at once. */
export interface BaseLlm {
  /** The name that requests and traces show. */
  readonly model: string;
  /** Whether a response schema and tools may be combined in one request. */
  readonly supportsOutputSchemaWithTools?: boolean;
  /** Throws a `PlatformError` with a `MODEL_…` reason when the provider fails. */
  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse>;
  /** Opens a live connection; absent on models that have none. The request's contents are not sent: `sendHistory` does that. */
  connect?(request: LlmRequest, options: ConnectOptions): Promise<BaseLlmConnection>;
}
