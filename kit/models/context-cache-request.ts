import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { ContextCacheConfig } from "./context-cache-config.ts";

/** The request's part for prompt caching; present only if the app has enabled it. */
export interface ContextCacheRequest {
  readonly config: ContextCacheConfig;
  /** Metadata of the agent's newest answer; `invocationsUsed` counts this invocation. */
  readonly previous?: CacheMetadata;
  /** Tokens of the agent's newest prompt, as the model reported them. */
  readonly promptTokenCount?: number;
  /** Called when the provider's cache failed; the request continues without the cache. */
  readonly onFailure: (error: unknown) => void;
}
