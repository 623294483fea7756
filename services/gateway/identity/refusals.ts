import { PlatformError } from "#kit/errors/platform-error.ts";

/** Credentials that are wrong. The answer's header then has `error="invalid_token"` (RFC 6750). */
export function invalidCredentials(message: string, cause?: unknown): PlatformError {
  return new PlatformError("UNAUTHENTICATED", message, { details: { error: "invalid_token" }, cause });
}

/** Credentials that cannot be checked now. */
export function identityUnavailable(message: string, retryAfterSeconds: number, cause?: unknown): PlatformError {
  const details = { retryAfterSeconds: String(retryAfterSeconds) };
  return new PlatformError("IDENTITY_UNAVAILABLE", message, { details, cause });
}
