import { PlatformError } from "#kit/errors/platform-error.ts";

export function contentKeyUnavailable(tenantId: string, cause?: unknown): PlatformError {
  return new PlatformError(
    "CONTENT_KEY_UNAVAILABLE",
    `The content of tenant ${tenantId} cannot be encrypted or decrypted: its key is missing. Restore the tenant's key.`,
    { details: { tenantId }, cause },
  );
}

export function contentUnreadable(tenantId: string, cause?: unknown): PlatformError {
  return new PlatformError(
    "CONTENT_UNREADABLE",
    `Stored content of tenant ${tenantId} is damaged, was changed outside of the server, or is of another place.`,
    { details: { tenantId }, cause },
  );
}
