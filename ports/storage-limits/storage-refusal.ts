import { PlatformError } from "#kit/errors/platform-error.ts";
import type { StorageLimitName, StorageScope } from "./storage-limits.ts";

const WHOSE = { user: "this user", app: "this app", tenant: "this tenant" } as const;

const UNITS = {
  sessions: { unit: "sessions", room: "sessions" },
  storedBytes: { unit: "bytes", room: "sessions" },
  artifactVersions: { unit: "versions", room: "artifacts or sessions" },
  artifactBytes: { unit: "bytes", room: "artifacts or sessions" },
  memoryEntries: { unit: "entries", room: "sessions that are in memory" },
  memoryBytes: { unit: "bytes", room: "sessions that are in memory" },
  evalBytes: { unit: "bytes", room: "evaluation sets or cases" },
} as const satisfies Record<StorageLimitName, { readonly unit: string; readonly room: string }>;

/** The error for data that has no room in storage. It contains no time to retry, because only deletions make room. */
export function storageExceeded(scope: StorageScope, limit: StorageLimitName, max: number): PlatformError {
  const { unit, room } = UNITS[limit];
  return new PlatformError(
    "QUOTA_EXCEEDED",
    `The quota of ${WHOSE[scope]} is used up: ${limit} is ${max}. Delete ${room} to make room.`,
    { details: { limit, scope, window: "now", unit, max: String(max) } },
  );
}
