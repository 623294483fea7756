import {
  NOTHING_STORED,
  type StorageCount,
  type StorageLimits,
  type StorageOwner,
  type StorageScope,
  type StoredAmounts,
  storageCount,
} from "./storage-limits.ts";
import { storageExceeded } from "./storage-refusal.ts";

/** The counts of a store, which change in the same atomic step as the data that they count. */
export interface StoredCounts {
  stored(count: StorageCount): StoredAmounts;
  /**
   * Adds to a count; negative amounts subtract from it. `exact`: the amounts that `stored` has returned in this step
   * must still be the current ones when the step is committed.
   */
  addStored(count: StorageCount, change: StoredAmounts, exact: boolean): void;
}

/** Data whose amounts are counted together, such as a session. */
export interface CountedItem {
  readonly key: StorageOwner;
  /** Bytes of its content, counted or not. */
  storedBytes: number;
  /** The scopes whose counts include it. Data from before a scope was counted is counted with its next write. */
  countedIn: readonly StorageScope[];
}

/** Throws `QUOTA_EXCEEDED` if a new item with these bytes has no room under a limit. Called before anything changes. */
export function assertRoomForItem(
  counts: StoredCounts,
  limits: StorageLimits,
  owner: StorageOwner,
  bytes: number,
): void {
  assertRoom({ counts, limits, owner }, () => ({ sessions: 1, storedBytes: bytes }));
}

/** Throws `QUOTA_EXCEEDED` if more bytes of an item have no room. */
export function assertRoomForBytes(
  counts: StoredCounts,
  limits: StorageLimits,
  item: CountedItem,
  bytes: number,
): void {
  assertRoom({ counts, limits, owner: item.key }, (scope) => ({
    sessions: 0,
    storedBytes: bytes + (item.countedIn.includes(scope) ? 0 : item.storedBytes),
  }));
}

/** Adds the bytes to the item and to the counts of its owner. The caller saves the item. */
export function countBytes(counts: StoredCounts, limits: StorageLimits, item: CountedItem, bytes: number): void {
  item.storedBytes += bytes;
  const { key, countedIn, storedBytes } = item;
  if (bytes !== 0) {
    const change = { sessions: 0, storedBytes: bytes };
    for (const scope of countedIn) counts.addStored(storageCount(scope, key), change, false);
  }
  const added = limits.counted.filter((scope) => !countedIn.includes(scope));
  if (added.length === 0) return;
  for (const scope of added) counts.addStored(storageCount(scope, key), { sessions: 1, storedBytes }, false);
  item.countedIn = [...countedIn, ...added];
}

/** Counts a new item, under the condition that there is still room where the number of items is limited. */
export function countItem(counts: StoredCounts, limits: StorageLimits, item: CountedItem): void {
  const { key } = item;
  if (limits.counted.length === 0) return;
  for (const scope of limits.counted) {
    const isLimited = limits.maxOf("sessions", scope, key) !== undefined;
    counts.addStored(storageCount(scope, key), { sessions: 1, storedBytes: 0 }, isLimited);
  }
  item.countedIn = limits.counted;
}

/** Subtracts the amounts of a deleted item from the counts. */
export function uncount(counts: StoredCounts, { key, storedBytes, countedIn }: CountedItem): void {
  const change = { sessions: -1, storedBytes: -storedBytes };
  for (const scope of countedIn) counts.addStored(storageCount(scope, key), change, false);
}

/** The amounts after a change. */
export function sumOfStored(one: StoredAmounts | undefined, change: StoredAmounts): StoredAmounts {
  const { sessions, storedBytes } = one ?? NOTHING_STORED;
  return { sessions: sessions + change.sessions, storedBytes: storedBytes + change.storedBytes };
}

/** Bytes of the JSON of a value. */
export function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

interface Room {
  readonly counts: StoredCounts;
  readonly limits: StorageLimits;
  readonly owner: StorageOwner;
}

function assertRoom({ counts, limits, owner }: Room, changeOf: (scope: StorageScope) => StoredAmounts): void {
  for (const scope of limits.counted) {
    const change = changeOf(scope);
    for (const limit of ["sessions", "storedBytes"] as const) {
      const max = change[limit] === 0 ? undefined : limits.maxOf(limit, scope, owner);
      if (max === undefined) continue;
      if (counts.stored(storageCount(scope, owner))[limit] + change[limit] > max)
        throw storageExceeded(scope, limit, max);
    }
  }
}
