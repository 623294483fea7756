import { ERROR_CODES } from "#kit/errors/codes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** A document was not as the write expected it: read again and decide anew. */
export class LostPreconditionError extends Error {}

const LOST: ReadonlySet<number> = new Set([
  ERROR_CODES.ALREADY_EXISTS.grpc,
  ERROR_CODES.NOT_FOUND.grpc,
  ERROR_CODES.FAILED_PRECONDITION.grpc,
  ERROR_CODES.ABORTED.grpc,
]);

const UNAVAILABLE: ReadonlySet<number> = new Set([
  ERROR_CODES.CANCELLED.grpc,
  ERROR_CODES.DEADLINE_EXCEEDED.grpc,
  ERROR_CODES.RESOURCE_EXHAUSTED.grpc,
  ERROR_CODES.UNAVAILABLE.grpc,
  ERROR_CODES.INTERNAL.grpc,
  ERROR_CODES.UNKNOWN.grpc,
  // What this process may do there is set up by others, and wrong for a while at most: no fault of whoever asks.
  ERROR_CODES.PERMISSION_DENIED.grpc,
  ERROR_CODES.UNAUTHENTICATED.grpc,
]);

/** How the store words a document that is over its limit. */
const TOO_LARGE = /maximum (allowed |entity )?size|longer than|too (large|big)/i;

/** What a failed call of the store means here. The store's own words stay in the cause: they name paths. */
export function translateFirestoreError(error: unknown, call: "read" | "commit"): unknown {
  const code = grpcCode(error);
  if (code === undefined) return error;
  if (call === "commit" && LOST.has(code)) return new LostPreconditionError("", { cause: error });
  // Documents that do not exist are answers; a read that finds nothing to ask found no database.
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
