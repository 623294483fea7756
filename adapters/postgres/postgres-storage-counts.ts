import { tenantOf } from "#kit/names/tenant.ts";
import {
  assertRoomFor,
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  sumOf,
} from "#ports/storage-limits/metered-amounts.ts";
import {
  type MeteredKind,
  NO_STORAGE_LIMITS,
  STORAGE_SCOPES,
  type StorageCount,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
  storageCount,
} from "#ports/storage-limits/storage-limits.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { Parameters } from "./database/parameters.ts";
import type { PostgresDatabase, RunStatement } from "./database/postgres-database.ts";

export interface PostgresStorageCountsOptions {
  readonly database: PostgresDatabase;
  readonly kind: MeteredKind;
  /** Nothing is counted if absent. */
  readonly limits: StorageLimits | undefined;
}

/** A counted row: its bytes, and the scopes whose counts include it, with commas between them. */
export interface CountedRow {
  readonly bytes: number;
  readonly counted_in: string;
}

interface CountRow {
  readonly scope: StorageScope;
  readonly name: string;
  readonly items: number;
  readonly bytes: number;
}

const COUNT = { tenant_id: "text", scope: "text", name: "text", items: "bigint", bytes: "bigint" } as const;

/** Counts what a store keeps, in the transactions that change it. */
export class PostgresStorageCounts implements MeteredStore {
  readonly #database: PostgresDatabase;
  readonly #kind: MeteredKind;
  readonly #limits: StorageLimits;

  constructor({ database, kind, limits = NO_STORAGE_LIMITS }: PostgresStorageCountsOptions) {
    this.#database = database;
    this.#kind = kind;
    this.#limits = limits;
  }

  /** The scopes whose counts include a new row. */
  get countedIn(): string {
    return this.#limits.counted.join(",");
  }

  /**
   * Adds a change to the counts, as a part of its transaction. Until it ends, other changes of the same counts wait.
   * Throws `QUOTA_EXCEEDED` if there is no room: nothing is stored then.
   */
  async change(
    run: RunStatement,
    owner: StorageOwner,
    { deleted, added }: { readonly deleted: readonly CountedRow[]; readonly added: readonly CountedRow[] },
  ): Promise<void> {
    const changeOf = (scope: StorageScope): MeteredAmounts =>
      sumOf(amountsIn(scope, added), negative(amountsIn(scope, deleted)));
    const rows = STORAGE_SCOPES.map((scope) => {
      return { tenant_id: tenantOf(owner), scope, name: storageCount(scope, owner).name, ...changeOf(scope) };
    }).filter(({ items, bytes }) => items !== 0 || bytes !== 0);
    if (rows.length === 0) return;
    const parameters = new Parameters();
    const kind = parameters.add(this.#kind);
    const stored = await run<CountRow>(
      `INSERT INTO fairlead.stored_counts AS old (tenant_id, kind, scope, name, items, bytes, version)
       SELECT tenant_id, ${kind}::text, scope, name, items, bytes, nextval('fairlead.versions')
       FROM ${parameters.table("given", COUNT, rows)} ORDER BY tenant_id, scope, name
       ON CONFLICT (tenant_id, kind, scope, name) DO UPDATE
         SET items = old.items + excluded.items, bytes = old.bytes + excluded.bytes, version = excluded.version
       RETURNING scope, items, bytes`,
      parameters.values,
    );
    assertRoomFor({ kind: this.#kind, limits: this.#limits, owner, changeOf }, ({ scope }) => {
      const row = stored.find((one) => one.scope === scope);
      return row === undefined ? NOTHING_METERED : sumOf(row, negative(changeOf(scope)));
    });
  }

  /** Removes the counts that have the owner's names, after all of the owner's data. */
  async forget({ tenantId, userId }: DataOwner): Promise<void> {
    await this.#database.write(
      `DELETE FROM fairlead.stored_counts
       WHERE tenant_id = $1 AND kind = $2 AND items <= 0 AND ($3::text IS NULL OR (scope = 'user' AND name = $3))`,
      [tenantId, this.#kind, userId ?? null],
    );
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    if (counts.length === 0) return [];
    const parameters = new Parameters();
    const kind = parameters.add(this.#kind);
    const names = counts.map((count, ord) => {
      return { ord, tenant_id: tenantOf(count), scope: count.scope, name: count.name };
    });
    const columns = { ord: "integer", tenant_id: "text", scope: "text", name: "text" } as const;
    const rows = await this.#database.read<MeteredAmounts & { readonly ord: number }>(
      `SELECT ord, items, bytes FROM ${parameters.table("given", columns, names)}
       JOIN fairlead.stored_counts USING (tenant_id, scope, name) WHERE kind = ${kind}::text`,
      parameters.values,
    );
    const found = new Map(rows.map(({ ord, items, bytes }) => [ord, { items, bytes }]));
    return counts.map((_, ord) => found.get(ord) ?? NOTHING_METERED);
  }
}

function amountsIn(scope: StorageScope, rows: readonly CountedRow[]): MeteredAmounts {
  return rows
    .filter(({ counted_in }) => counted_in.split(",").includes(scope))
    .map(({ bytes }) => ({ items: 1, bytes }))
    .reduce(sumOf, NOTHING_METERED);
}
