import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageReader } from "#ports/storage-limits/storage-limits.ts";
import type { StorageReaders } from "../quota/stored-limits.ts";

/** The stores as readers of what they count. Stores of a program's own may count nothing. */
export function storageReadersOf(stores: {
  readonly sessionService: object;
  readonly artifactService: object;
  readonly memoryService: object;
  readonly evalStore: object;
}): StorageReaders {
  return {
    sessions: isReader(stores.sessionService) ? stores.sessionService : undefined,
    artifacts: meteredStore(stores.artifactService),
    memory: meteredStore(stores.memoryService),
    evaluations: meteredStore(stores.evalStore),
  };
}

function isReader(store: object): store is StorageReader {
  return "readStorage" in store && typeof store.readStorage === "function";
}

function meteredStore(store: object): MeteredStore | undefined {
  return isMetered(store) ? store : undefined;
}

function isMetered(store: object): store is MeteredStore {
  return "readStored" in store && typeof store.readStored === "function";
}
