import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { KeyRecord, KeyStore } from "#ports/api-keys/key-store.ts";
import { ClientBudget } from "../client-budget.ts";
import { identityUnavailable } from "../refusals.ts";
import { type KnownKey, toKnownKey } from "./known-key.ts";

/** A revoked key is refused by every process after this time at the latest. */
const MAX_AGE_MS = 60_000;
/** A key that is used is read again in the background from this age on, so that no request waits for the store. */
const REFRESH_AGE_MS = 30_000;
const MAX_KEYS = 10_000;
const READS_PER_SECOND = 50;
const MOST_SAVED_READS = 100;
/** In place of an address: the id is one that this server has sealed itself, and is always read. */
export const OWN_ID = "own";

interface Entry {
  /** Absent if the store has no such key. */
  readonly key: KnownKey | undefined;
  readonly readAt: number;
}

export interface KnownKeysOptions {
  readonly store: Pick<KeyStore, "get">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The keys of the store, each read at most every 30 seconds. Ids that the store does not have are remembered apart, so
 * that they cannot displace keys, and their reads are limited: random ids of a client cost at most that many reads.
 */
export class KnownKeys {
  readonly #options: KnownKeysOptions;
  readonly #present = new BoundedCache<Entry>(MAX_KEYS);
  readonly #absent = new BoundedCache<Entry>(MAX_KEYS);
  readonly #reads = new Map<string, Promise<KnownKey | undefined>>();
  readonly #budget: ClientBudget;

  constructor(options: KnownKeysOptions) {
    this.#options = options;
    this.#budget = new ClientBudget({
      clock: options.clock,
      perSecond: READS_PER_SECOND,
      mostSaved: MOST_SAVED_READS,
    });
  }

  /**
   * The key, or undefined if there is none; a promise if the store has to be read. `address` is that of the client that
   * has sent the id, or `OWN_ID`. Throws `IDENTITY_UNAVAILABLE`.
   */
  find(id: string, address: string | undefined): KnownKey | undefined | Promise<KnownKey | undefined> {
    const entry = this.#present.get(id) ?? this.#absent.get(id);
    const age = entry === undefined ? Number.POSITIVE_INFINITY : this.#options.clock.monotonic() - entry.readAt;
    if (entry === undefined || age >= MAX_AGE_MS) {
      // A key that was there before is always read.
      const isLimited = entry?.key === undefined && address !== OWN_ID;
      if (isLimited && !this.#reads.has(id) && !this.#budget.take(address))
        throw identityUnavailable("Too many unknown API keys are being checked. Try again soon.", 1);
      return this.#read(id);
    }
    if (age >= REFRESH_AGE_MS && entry.key !== undefined) this.#refresh(id);
    return entry.key;
  }

  /** The next request with the key reads the store. */
  forget(id: string): void {
    this.#present.delete(id);
    this.#reads.delete(id);
  }

  #refresh(id: string): void {
    if (this.#reads.has(id)) return;
    this.#read(id).catch((error: unknown) => {
      this.#options.logger.warn({ error, keyId: id }, "an API key could not be read again");
    });
  }

  /** One read at a time for each id. */
  #read(id: string): Promise<KnownKey | undefined> {
    const active = this.#reads.get(id);
    if (active !== undefined) return active;
    const read: Promise<KnownKey | undefined> = this.#options.store.get(id).then(
      (record) => this.#remember(id, read, record),
      (error: unknown) => {
        this.#settle(id, read);
        throw identityUnavailable("API keys cannot be checked now. Try again soon.", 1, error);
      },
    );
    this.#reads.set(id, read);
    return read;
  }

  #remember(id: string, read: Promise<KnownKey | undefined>, record: KeyRecord | undefined): KnownKey | undefined {
    const key = record === undefined ? undefined : toKnownKey(record);
    // A read that began before the key was forgotten may have found it as it was.
    if (this.#settle(id, read)) {
      const entry = { key, readAt: this.#options.clock.monotonic() };
      (key === undefined ? this.#absent : this.#present).set(id, entry);
      (key === undefined ? this.#present : this.#absent).delete(id);
    }
    return key;
  }

  #settle(id: string, read: Promise<KnownKey | undefined>): boolean {
    return this.#reads.get(id) === read && this.#reads.delete(id);
  }
}
