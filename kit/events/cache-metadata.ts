/**
 * What a model's answer tells of the cache behind it, kept with its event so that the next call finds it. Without a name it only says
 * what the start of the prompt looked like: a start that comes twice is worth a cache.
 */
export interface CacheMetadata {
  /** The provider's name of the cache. */
  readonly cacheName?: string;
  /** Milliseconds since the epoch. */
  readonly expireTime?: number;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  /** Of the model, the instruction, the tools and the first contents. */
  readonly fingerprint: string;
  /** How many contents, from the first one, the fingerprint and the cache are of. */
  readonly contentsCount: number;
  /** Invocations that the cache has served. */
  readonly invocationsUsed?: number;
}
