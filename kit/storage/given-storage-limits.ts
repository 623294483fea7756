import { integer, record } from "../schema/check-options.ts";
import {
  NO_STORAGE_LIMITS,
  STORAGE_SCOPES,
  type StorageLimitName,
  type StorageLimits,
  type StorageScope,
} from "./storage-limits.ts";

type Limits = { readonly [Limit in StorageLimitName]?: number | undefined };

/** The limits of each user over all apps, of each app over all users, and of each tenant. Absent: no limit. */
export type GivenStorageLimits = { readonly [Scope in StorageScope]?: Limits | undefined };

const LIMITS_RULE = record<Limits>({ sessions: integer(0), storedBytes: integer(0, " bytes") });

export const STORAGE_LIMITS_RULE = record<GivenStorageLimits>({
  user: LIMITS_RULE,
  app: LIMITS_RULE,
  tenant: LIMITS_RULE,
});

/** The same limits for all names of a scope. */
export function completeStorageLimits(given: GivenStorageLimits | undefined): StorageLimits {
  if (given === undefined) return NO_STORAGE_LIMITS;
  const has = (scope: StorageScope): boolean => Object.values(given[scope] ?? {}).some((max) => max !== undefined);
  return { counted: STORAGE_SCOPES.filter(has), maxOf: (limit, scope) => given[scope]?.[limit] };
}
