import { createSecretKey, type KeyObject } from "node:crypto";
import { BoundedCache } from "../cache/bounded-cache.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { Clock } from "../platform/clock.ts";
import { contentKeyUnavailable, contentUnreadable } from "./content-errors.ts";
import type { KeyProvider } from "./key-provider.ts";
import { newDataKey } from "./random-bytes.ts";

export interface ContentKeysOptions {
  readonly provider: KeyProvider;
  readonly clock: Clock;
  /** How long a data key is used before the provider must open it again; default five minutes. */
  readonly maxAgeMs?: number | undefined;
  /** Data keys in memory; default 10,000. */
  readonly maxKeys?: number | undefined;
}

/** A key that encrypts content, with its encrypted copy, which is stored beside what it encrypts. */
export interface DataKey {
  readonly wrapped: Buffer;
  readonly key: KeyObject;
}

/** Thrown by synchronous code that needs a data key: `ContentKeys.load` gets it, and then the code runs again. */
export class MissingContentKey extends Error {
  readonly tenantId: string;
  /** Absent for a key to encrypt with. */
  readonly wrapped: Buffer | undefined;

  constructor(tenantId: string, wrapped?: Buffer) {
    super("A data key is not in memory.");
    this.tenantId = tenantId;
    this.wrapped = wrapped;
  }
}

type Known =
  | { readonly kind: "key"; readonly dataKey: DataKey; readonly until: number }
  /** The provider has no key for it; asked again after this time. */
  | { readonly kind: "refused"; readonly error: PlatformError; readonly until: number };

const DEFAULT_MAX_AGE_MS = 5 * 60_000;
const REFUSED_FOR_MS = 5_000;
/** A tenant's content is encrypted with a new data key after this time, and so with its newest key-encryption key. */
const RENEW_AFTER_MS = 24 * 60 * 60_000;
const DATA_KEY_BYTES = 32;
const MAX_WRAPPED_BYTES = 4096;

/**
 * The data keys in the memory of a process, by tenant. Each process makes its own for what it encrypts. A key whose
 * tenant's key-encryption key was deleted is not used after `maxAgeMs`.
 */
export class ContentKeys {
  readonly #provider: KeyProvider;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #known: BoundedCache<Known>;
  /** What each tenant's content is encrypted with. */
  readonly #newest: BoundedCache<{ readonly wrapped: Buffer; readonly until: number }>;
  readonly #loading = new Map<string, Promise<void>>();

  constructor({ provider, clock, maxAgeMs = DEFAULT_MAX_AGE_MS, maxKeys = 10_000 }: ContentKeysOptions) {
    this.#provider = provider;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
    this.#known = new BoundedCache(maxKeys);
    this.#newest = new BoundedCache(maxKeys);
  }

  /** The key for new content. Throws `MissingContentKey`, and `CONTENT_KEY_UNAVAILABLE` if the provider has none. */
  newest(tenantId: string): DataKey {
    const newest = this.#newest.get(tenantId);
    if (newest !== undefined && this.#clock.monotonic() < newest.until) return this.get(tenantId, newest.wrapped);
    return this.#find(tenantId, undefined);
  }

  /** The key of content. Throws `MissingContentKey`, and `CONTENT_KEY_UNAVAILABLE` if the provider cannot open it. */
  get(tenantId: string, wrapped: Buffer): DataKey {
    return this.#find(tenantId, wrapped);
  }

  /** Gets the key; afterwards it is found, or refused with its error. Throws if the provider cannot be reached. */
  load({ tenantId, wrapped }: MissingContentKey): Promise<void> {
    const name = nameOf(tenantId, wrapped);
    const known = this.#loading.get(name);
    if (known !== undefined) return known;
    const loading = this.#load(tenantId, wrapped, name).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  #find(tenantId: string, wrapped: Buffer | undefined): DataKey {
    const known = this.#known.get(nameOf(tenantId, wrapped));
    if (known === undefined || this.#clock.monotonic() >= known.until) throw new MissingContentKey(tenantId, wrapped);
    if (known.kind === "refused") throw known.error;
    return known.dataKey;
  }

  async #load(tenantId: string, given: Buffer | undefined, name: string): Promise<void> {
    try {
      const plain = given === undefined ? newDataKey() : Buffer.from(await this.#provider.unwrap(tenantId, given));
      if (plain.length !== DATA_KEY_BYTES) throw contentKeyUnavailable(tenantId);
      const wrapped = given ?? (await this.#wrap(tenantId, plain));
      const now = this.#clock.monotonic();
      const dataKey = { wrapped, key: createSecretKey(plain) };
      this.#known.set(nameOf(tenantId, wrapped), { kind: "key", dataKey, until: now + this.#maxAgeMs });
      if (given === undefined) this.#newest.set(tenantId, { wrapped, until: now + RENEW_AFTER_MS });
    } catch (error) {
      if (!(error instanceof PlatformError && error.reason === "CONTENT_KEY_UNAVAILABLE")) throw error;
      this.#known.set(name, { kind: "refused", error, until: this.#clock.monotonic() + REFUSED_FOR_MS });
    }
  }

  /**
   * Unwraps the new data key once before its first use: if the provider returned another key later, the content would be
   * lost.
   */
  async #wrap(tenantId: string, dataKey: Buffer): Promise<Buffer> {
    const wrapped = Buffer.from(await this.#provider.wrap(tenantId, dataKey));
    if (wrapped.length > MAX_WRAPPED_BYTES) throw new Error(`A wrapped key has over ${MAX_WRAPPED_BYTES} bytes.`);
    if (!dataKey.equals(await this.#provider.unwrap(tenantId, wrapped))) throw contentUnreadable(tenantId);
    return wrapped;
  }
}

function nameOf(tenantId: string, wrapped: Buffer | undefined): string {
  return `${tenantId}\n${wrapped?.toString("base64") ?? ""}`;
}
