import { tenantOf } from "#kit/names/tenant.ts";
import {
  assertRoomFor,
  type MeteredAmounts,
  type MeteredStore,
  NOTHING_METERED,
  negative,
  scopesOf,
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
import { keyPart, type Row, type RowTable, type RowWrite } from "./row-table.ts";

export interface RowCountsOptions {
  readonly table: RowTable;
  readonly kind: MeteredKind;
  /** Nothing is counted if absent. */
  readonly limits: StorageLimits | undefined;
}

/** What a stored item counts. */
export interface Counted {
  readonly bytes: number;
  /** The scopes whose counts include it. What was stored before there was a limit is in no count. */
  readonly countedIn: readonly StorageScope[];
}

/** The change of one item. */
export interface CountedChange {
  readonly owner: StorageOwner;
  /** Absent for a new item. */
  readonly before?: Counted | undefined;
  /** Absent for an item that is removed. */
  readonly after?: Counted | undefined;
}

/** Counts what a store keeps, in rows that change in the same commit as the rows that they count. */
export class RowCounts implements MeteredStore {
  readonly #table: RowTable;
  readonly #kind: MeteredKind;
  readonly #limits: StorageLimits;
  readonly isCounting: boolean;

  constructor({ table, kind, limits = NO_STORAGE_LIMITS }: RowCountsOptions) {
    this.#table = table;
    this.#kind = kind;
    this.#limits = limits;
    this.isCounting = limits !== NO_STORAGE_LIMITS;
  }

  /** What an item of so many bytes counts now. */
  counted(owner: StorageOwner, bytes: number): Counted {
    return { bytes, countedIn: scopesOf(this.#limits.counted, owner) };
  }

  /** The keys of the rows that a change of the owner's items must read. */
  keysOf(owner: StorageOwner): readonly string[] {
    if (!this.isCounting) return [];
    return scopesOf(STORAGE_SCOPES, owner).map((scope) => countRow(storageCount(scope, owner)));
  }

  /** The writes of the counts, as they were read. Throws `QUOTA_EXCEEDED` if there is no room. */
  writes(rows: ReadonlyMap<string, Row>, changes: readonly CountedChange[]): readonly RowWrite[] {
    const sums = new Map<string, MeteredAmounts>();
    for (const { owner, before, after } of changes) {
      const changeOf = (scope: StorageScope) => sumOf(amountsIn(after, scope), negative(amountsIn(before, scope)));
      const question = { kind: this.#kind, limits: this.#limits, owner, changeOf };
      assertRoomFor(question, (count) => amountsOf(rows.get(countRow(count))));
      for (const scope of STORAGE_SCOPES) {
        const change = changeOf(scope);
        const key = countRow(storageCount(scope, owner));
        if (change.items === 0 && change.bytes === 0) continue;
        sums.set(key, sumOf(sums.get(key) ?? amountsOf(rows.get(key)), change));
      }
    }
    return [...sums].map(([key, { items, bytes }]) => ({ key, value: items <= 0 ? undefined : { items, bytes } }));
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    const rows = await this.#table.read([...new Set(counts.map(countRow))]);
    return counts.map((count) => amountsOf(rows.get(countRow(count))));
  }
}

function countRow(count: StorageCount): string {
  return `count/${tenantOf(count)}/${count.scope}/${keyPart(count.name)}`;
}

function amountsIn(counted: Counted | undefined, scope: StorageScope): MeteredAmounts {
  return counted?.countedIn.includes(scope) ? { items: 1, bytes: counted.bytes } : NOTHING_METERED;
}

function amountsOf(row: Row | undefined): MeteredAmounts {
  const { items = 0, bytes = 0 } = row?.value ?? {};
  return { items: Number(items), bytes: Number(bytes) };
}
