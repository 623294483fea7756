import type { DataItem } from "../tenants/tenant-data.ts";

/** A set in the list of a tenant's data. */
export function evalSetItem(appName: string, evalSetId: string): DataItem {
  return { kind: "eval-set", appName, evalSetId };
}

/** A result in the list of a tenant's data. */
export function evalResultItem(appName: string, evalResultId: string): DataItem {
  return { kind: "eval-result", appName, evalResultId };
}
