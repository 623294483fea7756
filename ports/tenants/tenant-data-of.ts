import { PlatformError } from "#kit/errors/platform-error.ts";
import type { DataDeletions, DeletableData, TenantData } from "./tenant-data.ts";

const METHODS = ["listData", "deleteData"] as const;
const DELETION_METHODS = ["beginDeletion", "endDeletion", "listDeletions"] as const;

/**
 * The store's methods to list and delete data of tenants. For a custom store without them, each call throws
 * `NOT_IMPLEMENTED`.
 */
export function tenantDataOf(store: object): TenantData {
  return canAll<TenantData>(store, METHODS) ? store : { listData: refuse, deleteData: refuse };
}

/** The same for a store that lists nothing, such as that of credentials. */
export function deletableDataOf(store: object): DeletableData {
  return canAll<DeletableData>(store, ["deleteData"]) ? store : { deleteData: refuse };
}

/** The same for the deletions in progress. A store that cannot record deletions has none in progress. */
export function dataDeletionsOf(store: object): DataDeletions {
  if (canAll<DataDeletions>(store, DELETION_METHODS)) return store;
  return { beginDeletion: refuse, endDeletion: refuse, listDeletions: async () => [] };
}

function canAll<Port extends object>(store: object, methods: readonly string[]): store is Port {
  return methods.every((method) => typeof Reflect.get(store, method) === "function");
}

async function refuse(): Promise<never> {
  throw new PlatformError("NOT_IMPLEMENTED", "A store of this server cannot list and delete the data of a tenant.");
}
