// The exports of `fairlead/models`. Importing it loads no SDK of a provider: each model loads its own at its first call.

export type { CacheMetadata } from "#kit/events/cache-metadata.ts";
export { readEnvironment } from "#kit/platform/environment.ts";
export type { Sleep } from "../platform/sleep.ts";
export { type AiSdkLanguageModel, AiSdkModel, type AiSdkModelOptions } from "./ai-sdk/ai-sdk-model.ts";
export type { BaseLlm, GenerateOptions } from "./base-llm.ts";
export type {
  BaseLlmConnection,
  ConnectOptions,
  LiveConnectConfig,
  LiveResumption,
  RealtimeInput,
} from "./base-llm-connection.ts";
export { providerFetch } from "./bounds/provider-fetch.ts";
export { CascadeLive, type CascadeLiveOptions } from "./cascade/cascade-live.ts";
export type { SpeechClient, SpeechOptions } from "./cascade/speech-client.ts";
export { Claude, type ClaudeOptions } from "./claude/claude.ts";
export type { ContextCacheRequest } from "./context-cache-config.ts";
export { DemoModel, type DemoModelOptions } from "./demo/demo-model.ts";
export { ErrorCategory, getRetryDelay, isRetryable, ModelError, RetryStrategy } from "./error-mapper.ts";
export { Gemini, type GeminiOptions, type VertexAiOptions } from "./gemini/gemini.ts";
export { GeminiEmbedder, type GeminiEmbedderOptions } from "./gemini/gemini-embedder.ts";
export { LiveFallback, type LiveFallbackOptions } from "./live/live-fallback.ts";
export type { LiveGoAway, LiveModelChange, LiveSessionResumptionUpdate, LiveSignals } from "./live-signals.ts";
export type { CredentialReader, ModelOptions, RetryOptions } from "./model-options.ts";
export type { ModelObservability, ModelProperties, ModelValidation } from "./model-properties.ts";
export { OpenAiCompatible, type OpenAiCompatibleOptions } from "./openai/openai-compatible.ts";
export { OpenAiSpeech, type OpenAiSpeechOptions } from "./openai/openai-speech.ts";
export { defaultModelRegistry, type ModelFactory, ModelRegistry } from "./registry/model-registry.ts";
export { type CircuitBreakerOptions, CircuitBreakers } from "./routing/circuit-breaker.ts";
export { FallbackLlm, type FallbackLlmOptions } from "./routing/fallback-llm.ts";
export type { ModelChange } from "./routing/routed-call.ts";
export { type LlmRouter, RoutedLlm, type RoutedLlmOptions } from "./routing/routed-llm.ts";
