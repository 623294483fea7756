import { PlatformError } from "#kit/errors/platform-error.ts";

/** Known of the failure of one request to a bucket. */
export interface BucketFailure {
  readonly error: unknown;
  /** Of the answer, if there was one. */
  readonly status: number | undefined;
  /** The message, where the technology knows more than the status. */
  readonly message?: string | undefined;
}

export const HTTP_NOT_FOUND = 404;
export const HTTP_PRECONDITION_FAILED = 412;
export const CREDENTIALS_REFUSED =
  "The artifact store does not accept this server's credentials. The operator must renew them.";
export const NO_BUCKET = "The artifact store has no such bucket. The operator must create it or correct its name.";
export const SLOW_DOWN = "The artifact store asks to slow down. Try again later.";

/** A temporary fault of the service or the network. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

/** Whether the same request may succeed if it is repeated. */
export function isTransientFailure({ error, status }: BucketFailure): boolean {
  if (status !== undefined) return TRANSIENT_STATUS.has(status);
  const codes = [member(error, "code"), member(member(error, "cause"), "code")];
  return codes.some((code) => typeof code === "string" && TRANSIENT_CODES.has(code));
}

/**
 * The error for callers, without the names of bucket and objects, which are only in its cause. A fault of the program
 * stays unchanged.
 */
export function toBucketError(failure: BucketFailure): unknown {
  const { error, message } = failure;
  if (error instanceof PlatformError || isProgramFault(error)) return error;
  return new PlatformError("STORE_UNAVAILABLE", message ?? messageOf(failure), { cause: error });
}

/** The deadline's error. */
export function noAnswer(): Error {
  return new DOMException("No answer before the deadline.", "TimeoutError");
}

/** Reads a member of any value. */
export function member(value: unknown, name: string): unknown {
  // Reading any member of any object is safe.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function messageOf({ error, status }: BucketFailure): string {
  switch (status) {
    case 401:
      return CREDENTIALS_REFUSED;
    case 403:
      return "The artifact store denies this server access. The operator must grant its account to read, create, replace, delete and list objects.";
    case HTTP_NOT_FOUND:
      return NO_BUCKET;
    case 429:
      return SLOW_DOWN;
    case undefined:
      if (isDeadline(error)) return "The artifact store did not answer in time. Try again.";
      return "The artifact store cannot be reached, or its answer was broken off. Try again.";
    default:
      return `The artifact store failed (HTTP ${status}). Try again.`;
  }
}

function isProgramFault(error: unknown): boolean {
  const faulty = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  // `fetch` reports a broken connection as a TypeError with the reason as its cause.
  return faulty && error.cause === undefined;
}

function isDeadline(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}
