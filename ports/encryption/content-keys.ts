import { createSecretKey, type KeyObject } from "node:crypto";
import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { contentKeyUnavailable, contentUnreadable } from "./content-errors.ts";
import type { KeyProvider } from "./key-provider.ts";
import { MissingContentKey } from "./missing-content-key.ts";
import { newDataKey } from "./random-bytes.ts";

export interface ContentKeysOptions {
  readonly provider: KeyProvider;
  readonly clock: Clock;
  /** How long a data key is used before the provider must open it again, in milliseconds; 300,000 by default. */
  readonly maxAgeMs?: number | undefined;
  /** The most data keys in memory; 10,000 by default. */
  readonly maxKeys?: number | undefined;
}

/** A key that encrypts content, with its encrypted copy, which is stored with the encrypted content. */
export interface DataKey {
  readonly wrapped: Buffer;
  readonly key: KeyObject;
}

type Known =
  | {
      readonly kind: "key";
      readonly dataKey: DataKey;
      /** The first use after this time makes the provider open the key again, so that keys in use do not expire. */
      readonly renewAfter: number;
      readonly until: number;
    }
  /** The provider has refused to open the key. It is asked again after `until`. */
  | { readonly kind: "refused"; readonly error: PlatformError; readonly until: number }
  /** The provider could not be reached at this time. */
  | { readonly kind: "failed"; readonly until: number };

const DEFAULT_MAX_AGE_MS = 5 * 60_000;
/** The part of `maxAgeMs` after which a key in use is renewed. */
const RENEWAL = 0.8;
const REFUSED_FOR_MS = 30_000;
const REFUSALS: ReadonlySet<string> = new Set(["CONTENT_KEY_UNAVAILABLE", "CONTENT_UNREADABLE"]);
/** A tenant's content is encrypted with a new data key after this time, and so with its newest key-encryption key. */
const RENEW_AFTER_MS = 24 * 60 * 60_000;
const DATA_KEY_BYTES = 32;
const MAX_WRAPPED_BYTES = 4096;

/**
 * The data keys in the memory of a process, by tenant. Each process makes its own for what it encrypts. A key whose
 * tenant's key-encryption key was deleted is not used after `maxAgeMs`. It stays in memory until its next use, or until
 * newer keys displace it.
 */
export class ContentKeys {
  readonly #provider: KeyProvider;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #known: BoundedCache<Known>;
  /** The data key for new content of each tenant. */
  readonly #newest: BoundedCache<{ readonly wrapped: Buffer; readonly until: number }>;
  readonly #loading = new Map<string, Promise<void>>();

  constructor({ provider, clock, maxAgeMs = DEFAULT_MAX_AGE_MS, maxKeys = 10_000 }: ContentKeysOptions) {
    this.#provider = provider;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
    this.#known = new BoundedCache(maxKeys);
    this.#newest = new BoundedCache(maxKeys);
  }

  /** The key for new content. Throws `MissingContentKey`, and the error with which the provider refuses it. */
  newest(tenantId: string): DataKey {
    const newest = this.#newest.get(tenantId);
    if (newest !== undefined && this.#clock.monotonic() < newest.until) return this.get(tenantId, newest.wrapped);
    return this.#find(tenantId, undefined);
  }

  /** The key of content. Throws `MissingContentKey`, and the error with which the provider refuses it. */
  get(tenantId: string, wrapped: Buffer): DataKey {
    return this.#find(tenantId, wrapped);
  }

  /**
   * Loads the key from the provider. Afterwards `newest` and `get` return it, or throw the error with which the
   * provider refused it. Throws if the provider cannot be reached.
   */
  load({ tenantId, wrapped }: Pick<MissingContentKey, "tenantId" | "wrapped">): Promise<void> {
    const name = nameOf(tenantId, wrapped);
    const known = this.#loading.get(name);
    if (known !== undefined) return known;
    const loading = this.#load(tenantId, wrapped, name).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  /**
   * Loads keys of many tenants at the same time, as `load` does. If the provider fails for some keys, they stay
   * missing, and their next `MissingContentKey` has `refused`. Throws if the provider fails for all keys.
   */
  async loadAll(missing: readonly Pick<MissingContentKey, "tenantId" | "wrapped">[]): Promise<void> {
    const outcomes = await Promise.allSettled(missing.map((key) => this.load(key)));
    const failures = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome : undefined));
    const [first] = failures;
    if (first !== undefined && !failures.includes(undefined)) throw first.reason;
    for (const [index, key] of missing.entries()) {
      if (failures[index] !== undefined) this.#noteFailure(key);
    }
  }

  #noteFailure({ tenantId, wrapped }: Pick<MissingContentKey, "tenantId" | "wrapped">): void {
    this.#known.set(nameOf(tenantId, wrapped), { kind: "failed", until: this.#clock.monotonic() });
  }

  #find(tenantId: string, wrapped: Buffer | undefined): DataKey {
    const name = nameOf(tenantId, wrapped);
    const known = this.#known.get(name);
    const now = this.#clock.monotonic();
    if (known === undefined) throw new MissingContentKey(tenantId, wrapped);
    if (known.kind === "key" && now >= known.until) {
      this.#known.delete(name);
      throw new MissingContentKey(tenantId, wrapped);
    }
    if (known.kind === "failed" || now >= known.until) throw this.#missingAgain(tenantId, wrapped, known.until);
    if (known.kind === "refused") throw known.error;
    if (now >= known.renewAfter) this.#renew(tenantId, name, known);
    return known.dataKey;
  }

  #missingAgain(tenantId: string, wrapped: Buffer | undefined, until: number): MissingContentKey {
    const askAgain = (): void => {
      this.load({ tenantId, wrapped }).catch(() => this.#noteFailure({ tenantId, wrapped }));
    };
    return new MissingContentKey(tenantId, wrapped, { until, askAgain });
  }

  /**
   * Renews a key in use before it expires, because a missing key rolls back the transaction of the store that needs it.
   */
  #renew(tenantId: string, name: string, known: Extract<Known, { kind: "key" }>): void {
    this.#known.set(name, { ...known, renewAfter: Number.POSITIVE_INFINITY });
    this.load({ tenantId, wrapped: known.dataKey.wrapped }).catch(() => {
      // The key is used until it expires. The call that then needs it fails with the provider's error.
    });
  }

  async #load(tenantId: string, given: Buffer | undefined, name: string): Promise<void> {
    try {
      const plain = given === undefined ? newDataKey() : Buffer.from(await this.#provider.unwrap(tenantId, given));
      if (plain.length !== DATA_KEY_BYTES) throw contentKeyUnavailable(tenantId);
      const wrapped = given === undefined ? await this.#wrap(tenantId, plain) : copyOf(given);
      const now = this.#clock.monotonic();
      const dataKey = { wrapped, key: createSecretKey(plain) };
      this.#known.set(nameOf(tenantId, wrapped), {
        kind: "key",
        dataKey,
        renewAfter: now + this.#maxAgeMs * RENEWAL,
        until: now + this.#maxAgeMs,
      });
      if (given === undefined) this.#newest.set(tenantId, { wrapped, until: now + RENEW_AFTER_MS });
    } catch (error) {
      if (!(error instanceof PlatformError && REFUSALS.has(error.reason))) throw error;
      // The tenant's key-encryption key may have been replaced: the next write makes a data key under the new one.
      if (given !== undefined && this.#newest.get(tenantId)?.wrapped.equals(given)) this.#newest.delete(tenantId);
      this.#known.set(name, { kind: "refused", error, until: this.#clock.monotonic() + REFUSED_FOR_MS });
    }
  }

  /**
   * Unwraps the new data key once before its first use: if the provider returned another key later, the content would be
   * lost.
   */
  async #wrap(tenantId: string, dataKey: Buffer): Promise<Buffer> {
    const wrapped = copyOf(await this.#provider.wrap(tenantId, dataKey));
    if (wrapped.length > MAX_WRAPPED_BYTES) throw new Error(`A wrapped key has over ${MAX_WRAPPED_BYTES} bytes.`);
    if (!dataKey.equals(await this.#provider.unwrap(tenantId, wrapped))) throw contentUnreadable(tenantId);
    return wrapped;
  }
}

/** Bytes with memory of their own: a view would keep all of the memory that it is a part of, such as a whole file. */
function copyOf(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

function nameOf(tenantId: string, wrapped: Buffer | undefined): string {
  return `${tenantId}\n${wrapped?.toString("base64") ?? ""}`;
}
