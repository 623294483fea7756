import type { TenantScoped } from "#kit/names/tenant.ts";
import type { QuotaWindow } from "#ports/quota/quota-window.ts";
import { METERED_LIMITS, STORAGE_LIMIT_NAMES, type StorageLimitName } from "#ports/storage-limits/storage-limits.ts";

/** For whom a quota counts: an API key, a user over all apps, an app over all users, or all of a tenant. */
export const QUOTA_SCOPES = ["key", "user", "app", "tenant"] as const;
export type QuotaScope = (typeof QUOTA_SCOPES)[number];

/** What a quota limits. `unit` is what the file's numbers and the answers of `GET /v1/usage` count. */
export const QUOTA_LIMITS = {
  requestsPerMinute: { window: "minute", unit: "requests" },
  concurrentRuns: { window: "now", unit: "runs" },
  openStreams: { window: "now", unit: "streams" },
  tokensPerDay: { window: "day", unit: "tokens" },
  tokensPerMonth: { window: "month", unit: "tokens" },
  usdPerDay: { window: "day", unit: "usd" },
  usdPerMonth: { window: "month", unit: "usd" },
  sessions: { window: "now", unit: "sessions" },
  storedBytes: { window: "now", unit: "bytes" },
  artifactVersions: { window: "now", unit: "versions" },
  artifactBytes: { window: "now", unit: "bytes" },
  memoryEntries: { window: "now", unit: "entries" },
  memoryBytes: { window: "now", unit: "bytes" },
  evalBytes: { window: "now", unit: "bytes" },
} as const satisfies Record<string, { readonly window: QuotaWindow; readonly unit: string }>;

export type QuotaLimit = keyof typeof QUOTA_LIMITS;

// The members of a const object are its keys.
export const QUOTA_LIMIT_NAMES = Object.keys(QUOTA_LIMITS) as readonly QuotaLimit[];

/** The limits that calls of models count against. */
export const BUDGET_LIMITS = ["tokensPerDay", "tokensPerMonth", "usdPerDay", "usdPerMonth"] as const;

/** Whether stores enforce the limit, in the commits of the data that they count. */
export function isStorageLimit(limit: QuotaLimit): limit is StorageLimitName {
  return STORAGE_LIMIT_NAMES.some((name) => name === limit);
}

/** Whether the limit can be given to names of the scope: stored data belongs to no API key, and evaluations to no user. */
export function isLimitOf(scope: QuotaScope, limit: QuotaLimit): boolean {
  if (!isStorageLimit(limit)) return true;
  return scope !== "key" && !(scope === "user" && limit === METERED_LIMITS.evaluations.bytes);
}

/** Money is counted in millionths of a USD, so that sums are whole numbers. */
export const MICRO_USD = 1_000_000;

/** The names for which something is counted. A scope without a name is not counted. */
export interface QuotaSubject extends TenantScoped {
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly appName?: string | undefined;
}

/** The subject's name in the scope. */
export function nameIn(scope: QuotaScope, { keyId, userId, appName }: QuotaSubject): string | undefined {
  switch (scope) {
    case "key":
      return keyId;
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

export function isMoney(limit: QuotaLimit): boolean {
  return QUOTA_LIMITS[limit].unit === "usd";
}
