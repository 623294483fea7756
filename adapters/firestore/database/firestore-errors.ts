import { ERROR_CODES } from "#kit/errors/codes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** A document did not have the expected version: read it again and repeat the decision. */
export class LostPreconditionError extends Error {}

const LOST: ReadonlySet<number> = new Set([
  ERROR_CODES.ALREADY_EXISTS.grpc,
  ERROR_CODES.NOT_FOUND.grpc,
  ERROR_CODES.FAILED_PRECONDITION.grpc,
  ERROR_CODES.ABORTED.grpc,
]);

/** How the emulator refuses a version that is newer than the stored one. */
const NEWER_VERSION = /Invalid base version, it is greater than the stored version/;

const UNAVAILABLE: ReadonlySet<number> = new Set([
  ERROR_CODES.CANCELLED.grpc,
  ERROR_CODES.DEADLINE_EXCEEDED.grpc,
  ERROR_CODES.RESOURCE_EXHAUSTED.grpc,
  ERROR_CODES.UNAVAILABLE.grpc,
  ERROR_CODES.INTERNAL.grpc,
  ERROR_CODES.UNKNOWN.grpc,
  // Permissions and credentials are configured by operators and wrong only temporarily: no fault of the caller.
  ERROR_CODES.PERMISSION_DENIED.grpc,
  ERROR_CODES.UNAUTHENTICATED.grpc,
]);

/** The store's wording for a document that exceeds its limit. */
const TOO_LARGE = /maximum (allowed |entity )?size|longer than|too (large|big)/i;

/** The error for a failed call of the store. The store's own text is only in the cause, because it contains paths. */
export function translateFirestoreError(error: unknown, call: "read" | "commit"): unknown {
  const code = grpcCode(error);
  if (code === undefined) return error;
  if (call === "commit" && (LOST.has(code) || isNewerVersion(code, error)))
    return new LostPreconditionError("", { cause: error });
  // A missing document is not an error, so this code means that a read found no database.
  if (code === ERROR_CODES.ABORTED.grpc || code === ERROR_CODES.NOT_FOUND.grpc || UNAVAILABLE.has(code)) {
    return storeUnavailable(error);
  }
  if (code === ERROR_CODES.INVALID_ARGUMENT.grpc && error instanceof Error && TOO_LARGE.test(error.message)) {
    return new PlatformError(
      "EVENT_TOO_LARGE",
      "The event or the session's state is over the store's limit of 1 MiB.",
      {
        cause: error,
      },
    );
  }
  return error;
}

export function storeUnavailable(cause?: unknown): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "The session store did not answer. Try again.", { cause });
}

function grpcCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "number" ? error.code : undefined;
}

function isNewerVersion(code: number, error: unknown): boolean {
  return code === ERROR_CODES.INVALID_ARGUMENT.grpc && error instanceof Error && NEWER_VERSION.test(error.message);
}
