import { PlatformError } from "#kit/errors/platform-error.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { changeRows } from "../rows/change-rows.ts";
import { keyPart, MAX_COMMIT_ROWS, type Row, type RowTable } from "../rows/row-table.ts";
import { eachRow } from "../rows/walk-rows.ts";
import { type DataOwner, isOwned } from "../tenants/data-owner.ts";
import type { KeyListing, KeyRecord, KeyStore } from "./key-store.ts";

const KEYS = "key/";

/**
 * API keys over a table of rows: `key/{id}` has the key, and `tenant/{tenant}/{id}`, which has its owner, lists it among
 * its tenant's keys.
 */
export class TabularKeyStore implements KeyStore {
  readonly #table: RowTable;

  constructor({ table }: { readonly table: RowTable }) {
    this.#table = table;
  }

  async create(record: KeyRecord): Promise<void> {
    const { userId } = record;
    const isCreated = await this.#table.commit([
      { key: keyRow(record.id), value: { ...record }, expect: "missing" },
      { key: tenantRow(record), value: userId === undefined ? {} : { userId } },
    ]);
    if (!isCreated) throw new PlatformError("INTERNAL", "There is a key with this id already.");
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    return (await this.#read([id]))[0];
  }

  async list({ after, limit, tenantId }: KeyListing): Promise<readonly KeyRecord[]> {
    const prefix = tenantId === undefined ? KEYS : tenantRows(tenantId);
    const last = after === undefined ? undefined : `${prefix}${keyPart(after)}`;
    const keys = await this.#table.listKeys({ prefix, after: last, limit });
    return this.#read(keys.map(idOf));
  }

  async revoke(id: string, revokedAtMs: number): Promise<KeyRecord | undefined> {
    const key = keyRow(id);
    return changeRows(this.#table, [key], (rows) => {
      const record = recordOf(rows.get(key));
      if (record === undefined || record.revokedAtMs !== undefined) return { writes: [], result: record };
      const revoked = { ...record, revokedAtMs };
      return { writes: [{ key, value: revoked }], result: revoked };
    });
  }

  async recordUses(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    const ids = [...lastUsedAtMs.keys()];
    for (let start = 0; start < ids.length; start += MAX_COMMIT_ROWS) {
      const keys = ids.slice(start, start + MAX_COMMIT_ROWS).map(keyRow);
      await changeRows(this.#table, keys, (rows) => {
        const writes = [...rows].flatMap(([key, row]) => {
          const record = recordOf(row);
          const usedAtMs = lastUsedAtMs.get(idOf(key)) ?? 0;
          if (record === undefined || usedAtMs <= (record.lastUsedAtMs ?? 0)) return [];
          return [{ key, value: { ...record, lastUsedAtMs: usedAtMs } }];
        });
        return { writes, result: undefined };
      });
    }
  }

  async deleteOf(owner: DataOwner, limit: number): Promise<readonly string[]> {
    const { tenantId } = owner;
    const ids: string[] = [];
    for await (const { key, value } of eachRow(this.#table, { prefix: tenantRows(tenantId) })) {
      if (ids.length === limit) break;
      // Written by `create`.
      const userId = value["userId"] as string | undefined;
      if (!isOwned(owner, { tenantId, userId })) continue;
      await this.#table.commit([keyRow(idOf(key)), key].map((each) => ({ key: each, value: undefined })));
      ids.push(idOf(key));
    }
    return ids;
  }

  /** The existing keys in the order of the ids. */
  async #read(ids: readonly string[]): Promise<readonly KeyRecord[]> {
    const rows = await this.#table.read(ids.map(keyRow));
    return ids.flatMap((id) => recordOf(rows.get(keyRow(id))) ?? []);
  }
}

function keyRow(id: string): string {
  return `${KEYS}${keyPart(id)}`;
}

function tenantRows(tenantId: string): string {
  return `tenant/${tenantId}/`;
}

function tenantRow(record: KeyRecord): string {
  return `${tenantRows(tenantOf(record))}${keyPart(record.id)}`;
}

/** The id of a key by one of its rows. */
function idOf(row: string): string {
  return decodeURIComponent(row.slice(row.lastIndexOf("/") + 1));
}

function recordOf(row: Row | undefined): (KeyRecord & Row["value"]) | undefined {
  // Written by `create` from a KeyRecord.
  return row?.value as (KeyRecord & Row["value"]) | undefined;
}
