import type { Logger } from "../platform/logger.ts";
import type { BaseLlmConnection, ConnectOptions } from "./base-llm-connection.ts";
import type { LlmRequest } from "./llm-request.ts";
import type { LlmResponse } from "./llm-response.ts";
import type { ModelProperties, ModelValidation } from "./model-properties.ts";

/** How a model is to answer one request. */
export interface GenerateOptions {
  /** Return partial responses as they arrive; otherwise the call yields exactly one complete response. */
  readonly stream: boolean;
  /** Aborts the call to the provider. */
  readonly signal: AbortSignal;
  /** Receives warnings, such as a setting that the model does not know; `process.emitWarning` if absent. */
  readonly logger?: Logger | undefined;
  /** The process's `validation`, for models without their own. */
  readonly validation?: ModelValidation | undefined;
}

/** A model. Implementations keep no state between calls and may serve several concurrently. */
export interface BaseLlm {
  /** The name in requests and traces. */
  readonly model: string;
  /**
   * The provider in traces and metrics, by the names of OpenTelemetry's `gen_ai.provider.name`: `openai`, `anthropic`,
   * `gcp.gemini` and others. Absent: unknown.
   */
  readonly providerName?: string | undefined;
  /** Whether a response schema and tools may be combined in one request. */
  readonly supportsOutputSchemaWithTools?: boolean;
  /** The model's own properties, which it applies to each request itself. */
  readonly properties?: ModelProperties | undefined;
  /**
   * Throws `MODEL_KEY_MISSING` if a key or setting is missing without which each call would fail. Makes no request;
   * absent on models that need none.
   */
  assertConfigured?(): void;
  /**
   * Of a model that asks one of several others: the same model with each of them replaced, so that a run bounds and counts
   * every call.
   */
  mapModels?(replace: (model: BaseLlm) => BaseLlm): BaseLlm;
  /** Throws a `PlatformError` with a `MODEL_…` reason if the provider fails. */
  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse>;
  /**
   * Opens a live connection; absent on models without one. Does not send the request's contents: `sendHistory` does.
   */
  connect?(request: LlmRequest, options: ConnectOptions): Promise<BaseLlmConnection>;
}
