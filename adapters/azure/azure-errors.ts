import {
  type BucketFailure,
  CREDENTIALS_REFUSED,
  HTTP_NOT_FOUND,
  HTTP_PRECONDITION_FAILED,
  isTransientFailure,
  member,
  NO_BUCKET,
  SLOW_DOWN,
  toBucketError,
} from "#ports/artifacts/bucket/bucket-errors.ts";

const NO_CREDENTIALS =
  "This server has no credentials for the artifact store. The operator must set AZURE_ACCOUNT_KEY_FILE, or give its account an identity.";

/** Messages for the codes of the service, and for the names of the SDK's errors, that say more than the status. */
const MESSAGES: Readonly<Record<string, string>> = {
  AuthenticationFailed: CREDENTIALS_REFUSED,
  InvalidAuthenticationInfo: CREDENTIALS_REFUSED,
  CredentialUnavailableError: NO_CREDENTIALS,
  AggregateAuthenticationError: NO_CREDENTIALS,
  AuthenticationError: CREDENTIALS_REFUSED,
  AuthenticationRequiredError: NO_CREDENTIALS,
  ContainerNotFound: NO_BUCKET,
  ServerBusy: SLOW_DOWN,
};

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === HTTP_NOT_FOUND && codeOf(error) !== "ContainerNotFound";
}

/** A create-only write of an object that exists is refused with a code of its own. */
export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === HTTP_PRECONDITION_FAILED || codeOf(error) === "BlobAlreadyExists";
}

/** Whether the same request may succeed if it is repeated. */
export function isTransient(error: unknown): boolean {
  return isTransientFailure(failureOf(error));
}

/**
 * The error for callers, without the names of container and objects, which are only in its cause. A fault of the
 * program stays unchanged.
 */
export function toStoreError(error: unknown): unknown {
  return toBucketError(failureOf(error));
}

function failureOf(error: unknown): BucketFailure {
  const code = codeOf(error);
  return { error, status: statusOf(error), message: Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined };
}

/** The code is in a header of each answer, which answers to HEAD have too. */
function codeOf(error: unknown): string {
  const code = member(member(error, "details"), "errorCode") ?? member(error, "code") ?? member(error, "name");
  return typeof code === "string" ? code : "";
}

function statusOf(error: unknown): number | undefined {
  const status = member(error, "statusCode");
  return typeof status === "number" && status >= 300 ? status : undefined;
}
