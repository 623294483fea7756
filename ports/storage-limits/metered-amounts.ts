import {
  METERED_LIMITS,
  type MeteredKind,
  type StorageCount,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
  storageCount,
} from "./storage-limits.ts";
import { storageExceeded } from "./storage-refusal.ts";

/** How much of a kind of data is stored: versions of files, entries of memory, or evaluation sets and results. */
export interface MeteredAmounts {
  readonly items: number;
  readonly bytes: number;
}

/** Reads what a store of artifacts, memory or evaluations counts. */
export interface MeteredStore {
  /** The amounts of the names, in their order. Throws `STORE_UNAVAILABLE`. */
  readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]>;
}

export const NOTHING_METERED: MeteredAmounts = { items: 0, bytes: 0 };

export function sumOf(one: MeteredAmounts, other: MeteredAmounts): MeteredAmounts {
  return { items: one.items + other.items, bytes: one.bytes + other.bytes };
}

export function negative({ items, bytes }: MeteredAmounts): MeteredAmounts {
  return { items: -items, bytes: -bytes };
}

/** The scopes in which data of the owner counts: what has no user counts for no user. */
export function scopesOf(scopes: readonly StorageScope[], { userId }: StorageOwner): readonly StorageScope[] {
  return userId === undefined ? scopes.filter((scope) => scope !== "user") : scopes;
}

export interface RoomQuestion {
  readonly kind: MeteredKind;
  readonly limits: StorageLimits;
  readonly owner: StorageOwner;
  /** The difference that the change makes to the count of the scope. */
  readonly changeOf: (scope: StorageScope) => MeteredAmounts;
}

/** Throws `QUOTA_EXCEEDED` if the change has no room under a limit. A decrease always has room. */
export function assertRoomFor(
  { kind, limits, owner, changeOf }: RoomQuestion,
  stored: (count: StorageCount) => MeteredAmounts,
): void {
  for (const scope of scopesOf(limits.counted, owner)) {
    const change = changeOf(scope);
    for (const member of ["items", "bytes"] as const) {
      const limit = METERED_LIMITS[kind][member];
      if (limit === undefined || change[member] <= 0) continue;
      const max = limits.maxOf(limit, scope, owner);
      if (max === undefined) continue;
      if (stored(storageCount(scope, owner))[member] + change[member] > max) throw storageExceeded(scope, limit, max);
    }
  }
}
