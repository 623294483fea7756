import type { StorageReader } from "#kit/storage/storage-limits.ts";

/** The store as a reader of what it counts; undefined for a store of a program's own that counts nothing. */
export function storageReaderOf(store: object): StorageReader | undefined {
  return isReader(store) ? store : undefined;
}

function isReader(store: object): store is StorageReader {
  return "readStorage" in store && typeof store.readStorage === "function";
}
