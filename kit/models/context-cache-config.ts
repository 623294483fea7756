import { PlatformError } from "#kit/errors/platform-error.ts";
import type { CacheMetadata } from "#kit/events/cache-metadata.ts";

/** How long and for how many invocations the model's provider caches the constant prefix of prompts. */
export interface ContextCacheConfig {
  /** Invocations that one cache serves before it is replaced by a longer one; 10 by default. */
  readonly maxInvocations: number;
  /** Time to live in seconds; 1800 by default. */
  readonly ttlSeconds: number;
  /** Shorter prompts are not cached; 0 by default. */
  readonly minTokens: number;
}

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

const MOST_INVOCATIONS = 100;

/** Throws `INVALID_FIELD` for a number out of range. */
export function createContextCacheConfig(config: Partial<ContextCacheConfig> = {}): ContextCacheConfig {
  const { maxInvocations = 10, ttlSeconds = 1800, minTokens = 0 } = config;
  assertRange("maxInvocations", maxInvocations, 1, MOST_INVOCATIONS);
  assertRange("ttlSeconds", ttlSeconds, 1, Number.MAX_SAFE_INTEGER);
  assertRange("minTokens", minTokens, 0, Number.MAX_SAFE_INTEGER);
  return { maxInvocations, ttlSeconds, minTokens };
}

/** The time to live as text, such as `1800s`. */
export function getTtlString({ ttlSeconds }: Pick<ContextCacheConfig, "ttlSeconds">): string {
  return `${ttlSeconds}s`;
}

function assertRange(name: keyof ContextCacheConfig, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const field = `contextCache.${name}`;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  throw new PlatformError("INVALID_FIELD", `${field} is ${value}: give a whole number ${range}.`, {
    details: { field },
  });
}
