import { tenantKey } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import {
  IDEMPOTENCY_CLAIM_MS,
  IDEMPOTENCY_TTL_MS,
  type IdempotencyRecord,
  type IdempotencyStore,
} from "./idempotency-store.ts";

/** The cost of a key in addition to its answer. */
const OVERHEAD_CHARACTERS = 256;

export interface InMemoryIdempotencyStoreOptions {
  readonly clock: Clock;
  /** The most characters of all answers and keys; 16 Mi by default. The oldest keys are dropped first. */
  readonly maxCharacters?: number;
}

interface Entry {
  readonly record: IdempotencyRecord;
  readonly expiresAt: number;
}

/** The keys of one process, kept in its memory only. */
export class InMemoryIdempotencyStore implements IdempotencyStore {
  readonly #clock: Clock;
  readonly #maxCharacters: number;
  /** By `tenantKey`, in the order of the last change. */
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor({ clock, maxCharacters = 16 * 1024 * 1024 }: InMemoryIdempotencyStoreOptions) {
    this.#clock = clock;
    this.#maxCharacters = maxCharacters;
  }

  async claim(key: string, fingerprint: string, tenantId?: string): Promise<IdempotencyRecord | undefined> {
    const name = tenantKey(key, tenantId);
    const known = this.#entries.get(name);
    if (known !== undefined && this.#clock.monotonic() < known.expiresAt) return known.record;
    this.#set(name, { fingerprint, isDone: false }, IDEMPOTENCY_CLAIM_MS);
    return undefined;
  }

  async complete(key: string, record: Omit<IdempotencyRecord, "isDone">, tenantId?: string): Promise<void> {
    this.#set(tenantKey(key, tenantId), { ...record, isDone: true }, IDEMPOTENCY_TTL_MS);
  }

  async release(key: string, tenantId?: string): Promise<void> {
    this.#delete(tenantKey(key, tenantId));
  }

  #set(key: string, record: IdempotencyRecord, ttlMs: number): void {
    this.#delete(key);
    this.#entries.set(key, { record, expiresAt: this.#clock.monotonic() + ttlMs });
    this.#characters += charactersOf(record);
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.#maxCharacters || oldest === key) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#characters -= charactersOf(entry.record);
  }
}

function charactersOf({ answer }: IdempotencyRecord): number {
  return (answer?.length ?? 0) + OVERHEAD_CHARACTERS;
}
