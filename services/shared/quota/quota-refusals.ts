import { PlatformError } from "#kit/errors/platform-error.ts";
import type { QuotaState } from "#ports/quota/quota-ledger.ts";
import type { AppliedLimit } from "./applied-limit.ts";
import { isMoney, MICRO_USD, QUOTA_LIMITS } from "./quota-limits.ts";

const WHOSE = { key: "this API key", user: "this user", app: "this app", tenant: "this tenant" } as const;

/** Retry time for limits of what is open at this moment, such as streams, which may end soon. */
const SOON_SECONDS = 5;

/** The refusal of what has no room under the limit. */
export function quotaExceeded({ scope, limit, max }: AppliedLimit, { resetMs }: QuotaState): PlatformError {
  const { window, unit } = QUOTA_LIMITS[limit];
  const shown = isMoney(limit) ? max / MICRO_USD : max;
  const seconds = String(window === "now" ? SOON_SECONDS : Math.max(Math.ceil(resetMs / 1000), 1));
  const until = window === "now" ? "Try again soon." : `It has room again in ${seconds} seconds.`;
  return new PlatformError(
    "QUOTA_EXCEEDED",
    `The quota of ${WHOSE[scope]} is used up: ${limit} is ${shown}. ${until}`,
    {
      details: { limit, scope, window, unit, max: String(shown), resetSeconds: seconds, retryAfterSeconds: seconds },
    },
  );
}

/** The refusal of what must not be used while it cannot be counted. */
export function quotaUnavailable(cause: unknown): PlatformError {
  return new PlatformError("QUOTA_UNAVAILABLE", "What is left of a quota cannot be read now. Try again soon.", {
    cause,
    details: { retryAfterSeconds: "2" },
  });
}
