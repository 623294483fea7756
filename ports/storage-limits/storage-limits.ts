import { type TenantScoped, tenantOf } from "#kit/names/tenant.ts";

/** The scopes in which storage is counted: a user over all apps, an app over all users, or a whole tenant. */
export const STORAGE_SCOPES = ["user", "app", "tenant"] as const;
export type StorageScope = (typeof STORAGE_SCOPES)[number];

/** The limits of sessions: their number, and the bytes of their content. */
export const SESSION_LIMIT_NAMES = ["sessions", "storedBytes"] as const;

/** The limits of other stored data. The number of evaluation sets and results is not limited. */
export const METERED_LIMITS = {
  artifacts: { items: "artifactVersions", bytes: "artifactBytes" },
  memory: { items: "memoryEntries", bytes: "memoryBytes" },
  evaluations: { items: undefined, bytes: "evalBytes" },
} as const;
export type MeteredKind = keyof typeof METERED_LIMITS;

// The members of a const object are its keys.
export const METERED_KINDS = Object.keys(METERED_LIMITS) as readonly MeteredKind[];

/** The limits of one kind of data. */
export function limitNamesOf(kind: MeteredKind): readonly StorageLimitName[] {
  const { items, bytes } = METERED_LIMITS[kind];
  return items === undefined ? [bytes] : [items, bytes];
}

export const STORAGE_LIMIT_NAMES = [
  ...SESSION_LIMIT_NAMES,
  ...(["artifactVersions", "artifactBytes", "memoryEntries", "memoryBytes", "evalBytes"] as const),
] as const;
export type StorageLimitName = (typeof STORAGE_LIMIT_NAMES)[number];

/** The names under which stored data counts. */
export interface StorageOwner extends TenantScoped {
  readonly appName: string;
  /** Absent for data of an app, such as evaluations. */
  readonly userId?: string;
}

/** How much is stored under a name of a scope. */
export interface StoredAmounts {
  readonly sessions: number;
  readonly storedBytes: number;
}

export const NOTHING_STORED: StoredAmounts = { sessions: 0, storedBytes: 0 };

/** The limits that a store enforces. They may change at any time. */
export interface StorageLimits {
  /** The scopes that are counted: those in which some name may have a limit. The store counts nothing for others. */
  readonly counted: readonly StorageScope[];
  /** The limit of the owner in the scope; undefined if there is none. */
  maxOf(limit: StorageLimitName, scope: StorageScope, owner: StorageOwner): number | undefined;
}

export const NO_STORAGE_LIMITS: StorageLimits = { counted: [], maxOf: () => undefined };

/** The owner's name in the scope; empty for the tenant, and for the user of data that has none. */
export function storageName(scope: StorageScope, { appName, userId = "" }: StorageOwner): string {
  switch (scope) {
    case "user":
      return userId;
    case "app":
      return appName;
    case "tenant":
      return "";
    default:
      return scope satisfies never;
  }
}

/** Identifies a count: a name of a scope in a tenant. */
export interface StorageCount extends TenantScoped {
  readonly scope: StorageScope;
  /** Empty for the scope `tenant`. */
  readonly name: string;
}

export function storageCount(scope: StorageScope, owner: StorageOwner): StorageCount {
  return { tenantId: tenantOf(owner), scope, name: storageName(scope, owner) };
}

/** Reads what is counted of stored data. */
export interface StorageReader {
  /** The amounts of the names, in their order. Throws `STORE_UNAVAILABLE`. */
  readStorage(counts: readonly StorageCount[]): Promise<readonly StoredAmounts[]>;
}
