import type { DatabaseSync } from "node:sqlite";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { KeyListing, KeyRecord, KeyStore } from "#kit/identity/key-store.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { DataOwner } from "#kit/tenants/data-owner.ts";
import { allRows, firstRow, openDatabase, rollBack, toStoreError } from "./database/sqlite-database.ts";

/** Uses and revocations change often and by themselves; the rest of a key never changes and is read as a whole. */
const MIGRATIONS = [
  `CREATE TABLE api_key (
     id TEXT PRIMARY KEY, json TEXT NOT NULL, last_used_ms INTEGER, revoked_ms INTEGER
   ) STRICT, WITHOUT ROWID`,
  `ALTER TABLE api_key
     ADD COLUMN tenant TEXT NOT NULL GENERATED ALWAYS AS (coalesce(json ->> 'tenantId', '${DEFAULT_TENANT}')) VIRTUAL;
   CREATE INDEX api_key_by_tenant ON api_key (tenant, id)`,
];

interface KeyRow {
  readonly json: string;
  readonly last_used_ms: number | null;
  readonly revoked_ms: number | null;
}

/**
 * API keys in a file of their own, which several processes may have open: a command can create and revoke keys while a
 * server has the data folder's lock. Writes are rare, so each is a transaction that is synced immediately.
 */
export class SqliteKeyStore implements KeyStore, Disposable {
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor(file: string) {
    this.#database = openDatabase({ file, migrations: MIGRATIONS });
    const columns = "json, last_used_ms, revoked_ms";
    this.#statements = {
      create: this.#database.prepare("INSERT OR IGNORE INTO api_key (id, json) VALUES (?, ?)"),
      get: this.#database.prepare(`SELECT ${columns} FROM api_key WHERE id = ?`),
      list: this.#database.prepare(`SELECT ${columns} FROM api_key WHERE id > ? ORDER BY id LIMIT ?`),
      listOfTenant: this.#database.prepare(
        `SELECT ${columns} FROM api_key WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?`,
      ),
      revoke: this.#database.prepare("UPDATE api_key SET revoked_ms = coalesce(revoked_ms, ?) WHERE id = ?"),
      deleteOf: this.#database.prepare(
        `DELETE FROM api_key WHERE id IN (
           SELECT id FROM api_key WHERE tenant = ? AND json ->> 'userId' IS ifnull(?, json ->> 'userId') LIMIT ?
         ) RETURNING id`,
      ),
      use: this.#database.prepare("UPDATE api_key SET last_used_ms = max(coalesce(last_used_ms, 0), ?) WHERE id = ?"),
    };
  }

  create(record: KeyRecord): Promise<void> {
    return this.#call(() => {
      const { changes } = this.#statements.create.run(record.id, JSON.stringify(record));
      if (changes === 0) throw new PlatformError("INTERNAL", "There is a key with this id already.");
    });
  }

  get(id: string): Promise<KeyRecord | undefined> {
    return this.#call(() => this.#read(id));
  }

  list({ after = "", limit, tenantId }: KeyListing): Promise<readonly KeyRecord[]> {
    const { list, listOfTenant } = this.#statements;
    return this.#call(() => {
      const rows =
        tenantId === undefined
          ? allRows<KeyRow>(list, after, limit)
          : allRows<KeyRow>(listOfTenant, tenantId, after, limit);
      return rows.map(toRecord);
    });
  }

  revoke(id: string, revokedAtMs: number): Promise<KeyRecord | undefined> {
    return this.#call(() => {
      this.#statements.revoke.run(revokedAtMs, id);
      return this.#read(id);
    });
  }

  recordUses(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    return this.#call(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const [id, usedAtMs] of lastUsedAtMs) this.#statements.use.run(usedAtMs, id);
      this.#database.exec("COMMIT");
    });
  }

  deleteOf({ tenantId, userId }: DataOwner, limit: number): Promise<readonly string[]> {
    return this.#call(() => {
      const rows = allRows<{ readonly id: string }>(this.#statements.deleteOf, tenantId, userId ?? null, limit);
      return rows.map(({ id }) => id);
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  async #call<Result>(work: () => Result): Promise<Result> {
    try {
      return work();
    } catch (error) {
      rollBack(this.#database);
      throw toStoreError(error);
    }
  }

  #read(id: string): KeyRecord | undefined {
    const row = firstRow<KeyRow>(this.#statements.get, id);
    return row === undefined ? undefined : toRecord(row);
  }
}

function toRecord({ json, last_used_ms, revoked_ms }: KeyRow): KeyRecord {
  return {
    // Written by `create` from a KeyRecord.
    ...(JSON.parse(json) as KeyRecord),
    ...(last_used_ms !== null && { lastUsedAtMs: last_used_ms }),
    ...(revoked_ms !== null && { revokedAtMs: revoked_ms }),
  };
}
