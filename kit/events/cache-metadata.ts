/**
 * The metadata of the provider's cache for a model's answer, stored with its event so that the next call finds it.
 * Without a name it only contains the fingerprint of the prompt's prefix: a prefix that occurs twice is cached.
 */
export interface CacheMetadata {
  /** The provider's name of the cache. */
  readonly cacheName?: string;
  /** Milliseconds since the epoch. */
  readonly expireTime?: number;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  /** The digest of the model, the instruction, the tools and the first contents. */
  readonly fingerprint: string;
  /** How many contents, from the first one, the fingerprint and the cache cover. */
  readonly contentsCount: number;
  /** Invocations that the cache has served. */
  readonly invocationsUsed?: number;
}
