import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Duration__Output } from "#proto/google/protobuf/Duration.ts";
import { fromTimestamp } from "./messages.ts";

/** Upper bound of a lease, in milliseconds, so that no call can keep a session from all other runs for ever. */
const MAX_LEASE_MS = 3_600_000;

/** The lease that a message asks for, in milliseconds. Throws `INVALID_FIELD`. */
export function fromLeaseDuration(duration: Duration__Output | null | undefined): number {
  const leaseMs = fromTimestamp(duration);
  if (leaseMs > 0 && leaseMs <= MAX_LEASE_MS) return leaseMs;
  throw invalidDuration("leaseDuration", "more than 0 and at most one hour");
}

/** How long an expired run keeps its place, in milliseconds. Throws `INVALID_FIELD` for a negative time. */
export function fromAbandonAfter(duration: Duration__Output): number {
  const abandonAfterMs = fromTimestamp(duration);
  // A negative time would end a run whose runner has its lease.
  if (abandonAfterMs >= 0) return abandonAfterMs;
  throw invalidDuration("abandonAfter", "0 or more");
}

function invalidDuration(field: string, range: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field} must be ${range}.`, { details: { field } });
}
