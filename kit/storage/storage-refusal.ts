import { PlatformError } from "../errors/platform-error.ts";
import type { StorageLimitName, StorageScope } from "./storage-limits.ts";

const WHOSE = { user: "this user", app: "this app", tenant: "this tenant" } as const;
const UNITS = { sessions: "sessions", storedBytes: "bytes" } as const;

/** The refusal of what has no room in storage. It has no time of a retry: only deletions make room. */
export function storageExceeded(scope: StorageScope, limit: StorageLimitName, max: number): PlatformError {
  return new PlatformError(
    "QUOTA_EXCEEDED",
    `The quota of ${WHOSE[scope]} is used up: ${limit} is ${max}. Delete sessions to make room.`,
    { details: { limit, scope, window: "now", unit: UNITS[limit], max: String(max) } },
  );
}
