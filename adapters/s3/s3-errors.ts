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

const HTTP_NOT_IMPLEMENTED = 501;
const NO_CREDENTIALS =
  "This server has no credentials for the artifact store. The operator must set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give its account a role.";
const OTHER_REGION = "The artifact store has the bucket in another region. The operator must correct the region.";

/** Messages for the codes of the service that say more than the status. */
const MESSAGES: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: CREDENTIALS_REFUSED,
  SignatureDoesNotMatch: CREDENTIALS_REFUSED,
  ExpiredToken: CREDENTIALS_REFUSED,
  InvalidToken: CREDENTIALS_REFUSED,
  CredentialsProviderError: NO_CREDENTIALS,
  NoSuchBucket: NO_BUCKET,
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  SlowDown: SLOW_DOWN,
};

/** Refused only for the moment: another write of the object was in progress, or the clocks differed. */
const TRANSIENT_NAMES: ReadonlySet<unknown> = new Set(["ConditionalRequestConflict", "RequestTimeTooSkewed"]);

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === HTTP_NOT_FOUND && member(error, "name") !== "NoSuchBucket";
}

export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === HTTP_PRECONDITION_FAILED;
}

/** Whether the server does not have the feature that the request asks for. */
export function isNotImplemented(error: unknown): boolean {
  return statusOf(error) === HTTP_NOT_IMPLEMENTED || member(error, "name") === "NotImplemented";
}

/** Whether the same request may succeed if it is repeated. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT_NAMES.has(member(error, "name")) || isTransientFailure(failureOf(error));
}

/**
 * The error for callers, without the names of bucket and objects, which are only in its cause. A fault of the program
 * stays unchanged.
 */
export function toStoreError(error: unknown): unknown {
  return toBucketError(failureOf(error));
}

function failureOf(error: unknown): BucketFailure {
  const name = member(error, "name");
  return { error, status: statusOf(error), message: typeof name === "string" ? MESSAGES[name] : undefined };
}

function statusOf(error: unknown): number | undefined {
  const status = member(member(error, "$metadata"), "httpStatusCode");
  // The client reports an answer that it cannot read with the status 200.
  return typeof status === "number" && status >= 300 ? status : undefined;
}
