import { PlatformError } from "#kit/errors/platform-error.ts";

/** The store's limit for a document is 1 MiB; the rest is for the document's name and the names of its fields. */
export const MAX_CONTENT_BYTES: number = 1024 * 1024 - 4096;

/** Throws `EVENT_TOO_LARGE` for content that exceeds a document's size. */
export function assertDocumentBytes(what: string, bytes: number): void {
  if (bytes <= MAX_CONTENT_BYTES) return;
  throw new PlatformError("EVENT_TOO_LARGE", `${what} has ${bytes} bytes; the store accepts ${MAX_CONTENT_BYTES}.`, {
    details: { maxBytes: String(MAX_CONTENT_BYTES) },
  });
}
