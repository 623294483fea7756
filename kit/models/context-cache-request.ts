import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { ContextCacheConfig } from "./context-cache-config.ts";

/** The share of a request that asks for caching; only there when the app has switched it on. */
export interface ContextCacheRequest {
  readonly config: ContextCacheConfig;
  /** Of the agent's newest answer; `invocationsUsed` counts this invocation. */
  readonly previous?: CacheMetadata;
  /** Tokens of the agent's newest prompt, as the model reported them. */
  readonly promptTokenCount?: number;
  /** Told when the provider's cache failed; the request goes on without it. */
  readonly onFailure: (error: unknown) => void;
}
