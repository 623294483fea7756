import { integer, type OptionRules, record } from "#kit/schema/check-options.ts";
import {
  limitNamesOf,
  type MeteredKind,
  NO_STORAGE_LIMITS,
  SESSION_LIMIT_NAMES,
  STORAGE_SCOPES,
  type StorageLimitName,
  type StorageLimits,
  type StorageScope,
} from "./storage-limits.ts";

type Limits = { readonly [Limit in StorageLimitName]?: number | undefined };

/** The limits of each user over all apps, of each app over all users, and of each tenant. Absent: no limit. */
export type GivenStorageLimits = { readonly [Scope in StorageScope]?: Limits | undefined };

const RULES: OptionRules<Limits> = {
  sessions: integer(0),
  storedBytes: integer(0, " bytes"),
  artifactVersions: integer(0),
  artifactBytes: integer(0, " bytes"),
  memoryEntries: integer(0),
  memoryBytes: integer(0, " bytes"),
  evalBytes: integer(0, " bytes"),
};
const LIMITS_RULE = record<Limits>(RULES);
// Evaluations belong to no user.
const { evalBytes: _evalBytes, ...USER_RULES } = RULES;
const USER_RULE = record<Omit<Limits, "evalBytes">>(USER_RULES);

export const STORAGE_LIMITS_RULE = record<GivenStorageLimits>({
  user: USER_RULE,
  app: LIMITS_RULE,
  tenant: LIMITS_RULE,
});

/** The same limits for all names of a scope. `names`: the limits that the store enforces; those of sessions by default. */
export function completeStorageLimits(
  given: GivenStorageLimits | undefined,
  names: readonly StorageLimitName[] = SESSION_LIMIT_NAMES,
): StorageLimits {
  if (given === undefined) return NO_STORAGE_LIMITS;
  const has = (scope: StorageScope): boolean => names.some((name) => given[scope]?.[name] !== undefined);
  return { counted: STORAGE_SCOPES.filter(has), maxOf: (limit, scope) => given[scope]?.[limit] };
}

/** The limits of other data than sessions; undefined without any limits, so that nothing is counted. */
export function meteredLimits(given: GivenStorageLimits | undefined, kind: MeteredKind): StorageLimits | undefined {
  return given === undefined ? undefined : completeStorageLimits(given, limitNamesOf(kind));
}
