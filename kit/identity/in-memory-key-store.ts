import { PlatformError } from "../errors/platform-error.ts";
import type { KeyListing, KeyRecord, KeyStore } from "./key-store.ts";

/** The keys of one process, which end with it. */
export class InMemoryKeyStore implements KeyStore {
  readonly #records = new Map<string, KeyRecord>();

  async create(record: KeyRecord): Promise<void> {
    if (this.#records.has(record.id)) throw new PlatformError("INTERNAL", "There is a key with this id already.");
    this.#records.set(record.id, structuredClone(record));
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    return structuredClone(this.#records.get(id));
  }

  async list({ after = "", limit }: KeyListing): Promise<readonly KeyRecord[]> {
    const ids = [...this.#records.keys()].filter((id) => id > after).sort();
    return ids.slice(0, limit).flatMap((id) => structuredClone(this.#records.get(id)) ?? []);
  }

  async revoke(id: string, revokedAtMs: number): Promise<KeyRecord | undefined> {
    const record = this.#records.get(id);
    if (record !== undefined) this.#records.set(id, { revokedAtMs, ...record });
    return this.get(id);
  }

  async recordUses(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    for (const [id, usedAtMs] of lastUsedAtMs) {
      const record = this.#records.get(id);
      if (record === undefined || usedAtMs <= (record.lastUsedAtMs ?? 0)) continue;
      this.#records.set(id, { ...record, lastUsedAtMs: usedAtMs });
    }
  }
}
