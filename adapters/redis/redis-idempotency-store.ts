import { type IdGenerator, UuidV7Generator } from "#kit/platform/id-generator.ts";
import {
  IDEMPOTENCY_CLAIM_MS,
  IDEMPOTENCY_TTL_MS,
  type IdempotencyRecord,
  type IdempotencyStore,
} from "#ports/idempotency/idempotency-store.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX, tenantPrefix } from "./run-keys.ts";

export interface RedisIdempotencyStoreOptions {
  /** The caller closes it. */
  readonly redis: RedisClient;
  /** The release's prefix of every key; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  readonly observer?: RedisObserver | undefined;
  /** Ids of claims, so that a repeated claim is recognised. */
  readonly ids?: IdGenerator | undefined;
}

/** The value of a key in Redis. */
interface StoredRecord extends IdempotencyRecord {
  /** The id of the call that has claimed the key; absent when that call is complete. */
  readonly claimId?: string;
}

/**
 * The keys of all processes. A call with a key fails while Redis is unavailable, because a repeated call could not be
 * detected.
 */
export class RedisIdempotencyStore implements IdempotencyStore, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #prefix: string;
  readonly #ids: IdGenerator;

  constructor({ redis, keyPrefix = DEFAULT_KEY_PREFIX, observer, ids }: RedisIdempotencyStoreOptions) {
    this.#redis = redis;
    this.#guard = new RedisGuard(redis, observer);
    this.#prefix = checkKeyPrefix(keyPrefix);
    this.#ids = ids ?? new UuidV7Generator();
  }

  async claim(key: string, fingerprint: string, tenantId?: string): Promise<IdempotencyRecord | undefined> {
    const name = this.#name(key, tenantId);
    const claim: StoredRecord = { fingerprint, isDone: false, claimId: this.#ids.next() };
    // The existing record may expire between the two commands; the second round then claims the key.
    for (let round = 0; ; round += 1) {
      const set = await this.#guard.run("claim-key", () =>
        this.#redis.set(name, JSON.stringify(claim), "PX", IDEMPOTENCY_CLAIM_MS, "NX"),
      );
      if (set === "OK") return undefined;
      const known = await this.#guard.run("claim-key", () => this.#redis.get(name));
      // Only `claim` and `complete` write this value.
      const { claimId, ...record } = known === null ? claim : (JSON.parse(known) as StoredRecord);
      // The client repeats a command whose answer is lost: the key is then held by this same claim.
      if (known !== null) return claimId === claim.claimId ? undefined : record;
      if (round > 0) return record;
    }
  }

  async complete(key: string, record: Omit<IdempotencyRecord, "isDone">, tenantId?: string): Promise<void> {
    const name = this.#name(key, tenantId);
    const json = JSON.stringify({ ...record, isDone: true });
    await this.#guard.run("complete-key", () => this.#redis.set(name, json, "PX", IDEMPOTENCY_TTL_MS));
  }

  async release(key: string, tenantId?: string): Promise<void> {
    await this.#guard.run("complete-key", () => this.#redis.del(this.#name(key, tenantId)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard.dispose();
  }

  #name(key: string, tenantId: string | undefined): string {
    return `${tenantPrefix(this.#prefix, tenantId)}:idempotency:${key}`;
  }
}
