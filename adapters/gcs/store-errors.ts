import { PlatformError } from "#kit/errors/platform-error.ts";

const HTTP_NOT_FOUND = 404;
const HTTP_PRECONDITION_FAILED = 412;
/** A temporary fault of the service or the network. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

export function isNotFound(error: unknown): boolean {
  return statusOf(error) === HTTP_NOT_FOUND;
}

export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === HTTP_PRECONDITION_FAILED;
}

/** Whether the same request may succeed if it is repeated. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined) return TRANSIENT_STATUS.has(status);
  const codes = [member(error, "code"), member(member(error, "cause"), "code")];
  return codes.some((code) => typeof code === "string" && TRANSIENT_CODES.has(code));
}

/**
 * The error for callers, without the names of bucket and objects, which are only in its cause. A fault of the program
 * stays unchanged.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof PlatformError || isProgramFault(error)) return error;
  return new PlatformError("STORE_UNAVAILABLE", messageOf(error), { cause: error });
}

function messageOf(error: unknown): string {
  const status = statusOf(error);
  switch (status) {
    case 401:
      return "The artifact store does not accept this server's credentials. The operator must renew them.";
    case 403:
      return "The artifact store denies this server access. The operator must grant its account to read, create, replace, delete and list objects.";
    case HTTP_NOT_FOUND:
      return "The artifact store has no such bucket. The operator must create it or correct its name.";
    case 429:
      return "The artifact store asks to slow down. Try again later.";
    case undefined:
      return messageWithoutStatus(error);
    default:
      return `The artifact store failed (HTTP ${status}). Try again.`;
  }
}

function messageWithoutStatus(error: unknown): string {
  if (isDeadline(error)) return "The artifact store did not answer in time. Try again.";
  // The auth library throws this error without a code.
  if (error instanceof Error && error.message.includes("default credentials")) {
    return "This server has no credentials for the artifact store. The operator must set up workload identity or a key file.";
  }
  return "The artifact store cannot be reached, or its answer was broken off. Try again.";
}

function isProgramFault(error: unknown): boolean {
  const faulty = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  // `fetch` reports a broken connection as a TypeError with the reason as its cause.
  return faulty && error.cause === undefined;
}

function isDeadline(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}

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

function member(value: unknown, name: string): unknown {
  // Reading any member of any object is safe.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
