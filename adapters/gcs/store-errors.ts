import {
  type BucketFailure,
  HTTP_NOT_FOUND,
  HTTP_PRECONDITION_FAILED,
  isTransientFailure,
  member,
  toBucketError,
} from "#ports/artifacts/bucket/bucket-errors.ts";

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === HTTP_NOT_FOUND;
}

export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === HTTP_PRECONDITION_FAILED;
}

/** Whether the same request may succeed if it is repeated. */
export function isTransient(error: unknown): boolean {
  return isTransientFailure(failureOf(error));
}

/**
 * The error for callers, without the names of bucket and objects, which are only in its cause. A fault of the program
 * stays unchanged.
 */
export function toStoreError(error: unknown): unknown {
  return toBucketError(failureOf(error));
}

function failureOf(error: unknown): BucketFailure {
  const status = statusOf(error);
  // The auth library throws this error without a code.
  const isWithout = status === undefined && error instanceof Error && error.message.includes("default credentials");
  return { error, status, message: isWithout ? NO_CREDENTIALS : undefined };
}

const NO_CREDENTIALS =
  "This server has no credentials for the artifact store. The operator must set up workload identity or a key file.";

/** The parts of the client use different members for it, some as text. */
function statusOf(error: unknown): number | undefined {
  for (const candidate of [
    member(error, "code"),
    member(error, "status"),
    member(member(error, "response"), "status"),
  ]) {
    const status = Number(candidate);
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}
