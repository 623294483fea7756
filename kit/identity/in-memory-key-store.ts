import { PlatformError } from "../errors/platform-error.ts";
import { tenantOf } from "../names/tenant.ts";
import { type DataOwner, isOwned } from "../tenants/data-owner.ts";
import type { KeyListing, KeyRecord, KeyStore } from "./key-store.ts";

/** API keys in the memory of this process; they are lost when it ends. */
export class InMemoryKeyStore implements KeyStore {
  readonly #records = new Map<string, KeyRecord>();

  async create(record: KeyRecord): Promise<void> {
    if (this.#records.has(record.id)) throw new PlatformError("INTERNAL", "There is a key with this id already.");
    this.#records.set(record.id, structuredClone(record));
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    return structuredClone(this.#records.get(id));
  }

  async list({ after = "", limit, tenantId }: KeyListing): Promise<readonly KeyRecord[]> {
    const isListed = (record: KeyRecord) =>
      record.id > after && (tenantId === undefined || tenantOf(record) === tenantId);
    const listed = [...this.#records.values()].filter(isListed).sort((a, b) => (a.id < b.id ? -1 : 1));
    return structuredClone(listed.slice(0, limit));
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

  async deleteOf(owner: DataOwner, limit: number): Promise<readonly string[]> {
    const ids = [...this.#records.values()].filter((record) => isOwned(owner, record)).map(({ id }) => id);
    const some = ids.slice(0, limit);
    for (const id of some) this.#records.delete(id);
    return some;
  }
}
