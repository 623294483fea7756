import type { ErrorCode } from "#kit/errors/codes.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";

/** Reasons of errors that the client makes itself; all others come from the server. */
export type ClientErrorReason =
  /** The server cannot be reached, or the connection ended before the answer was complete. */
  | "CONNECTION_LOST"
  /** The answer did not arrive within `timeoutMs`. */
  | "ANSWER_TIMED_OUT"
  /** The answer does not have the form of this API. A proxy, or another server, may have sent it. */
  | "UNEXPECTED_ANSWER"
  /** The server has closed a live call; `details.closeCode` is the code of the WebSocket. */
  | "LIVE_CALL_CLOSED"
  /** The answer, or one event of a stream, is larger than `maxAnswerBytes`. Nothing beyond it was read. */
  | "ANSWER_TOO_LARGE";

/** The members of a `FairleadError`. */
export interface FairleadErrorOptions {
  readonly code: ErrorCode;
  readonly reason: ErrorReason | ClientErrorReason | (string & {});
  /** Facts for programs: ids, fields, limits. */
  readonly details?: Readonly<Record<string, string>>;
  /** The HTTP status of the answer, if there was one. */
  readonly status?: number | undefined;
  /** The id under which the server's log has the request. */
  readonly requestId?: string | undefined;
  /** From the header `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Codes after which the same call can succeed later. A test compares them with the table of the server. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "DEADLINE_EXCEEDED",
  "RESOURCE_EXHAUSTED",
  "ABORTED",
  "UNAVAILABLE",
] satisfies ErrorCode[]);

/**
 * A call that failed, with the error of the server (`docs/reference/errors.md` lists the reasons) or one of the client
 * (`ClientErrorReason`). A call that was aborted by its signal rejects with the signal's own reason instead.
 */
export class FairleadError extends Error {
  /** Canonical name of the kind of error, such as `NOT_FOUND`. */
  readonly code: ErrorCode;
  /** Stable name of the error, such as `SESSION_NOT_FOUND`. */
  readonly reason: ErrorReason | ClientErrorReason | (string & {});
  readonly details: Readonly<Record<string, string>>;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: FairleadErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FairleadError";
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details ?? {};
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether the same call can succeed later. The client has repeated it already if that was safe. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** Whether the client repeats the call itself: the server or the way to it failed, or it asks to wait. */
export function isTransient(error: unknown): error is FairleadError {
  if (!(error instanceof FairleadError)) return false;
  const { code, reason } = error;
  // The first call with the key is still in progress: it is the one whose answer was lost.
  return (error.retryable && code !== "ABORTED") || reason === "IDEMPOTENCY_KEY_IN_USE";
}

export function connectionLost(cause?: unknown): FairleadError {
  const message = "The connection to the server failed. Check its address, and that it allows this page's origin.";
  return new FairleadError(message, { code: "UNAVAILABLE", reason: "CONNECTION_LOST", cause });
}

export function answerTimedOut(afterMs: number): FairleadError {
  const message = `The server sent nothing for ${afterMs} ms.`;
  return new FairleadError(message, { code: "DEADLINE_EXCEEDED", reason: "ANSWER_TIMED_OUT" });
}

/** `what` is the subject and the verb of the sentence: "The event has no id". */
export function unexpectedAnswer(what: string, options: Pick<FairleadErrorOptions, "status" | "cause"> = {}) {
  const message = `${what}. Check that baseUrl is the address of a Fairlead server.`;
  return new FairleadError(message, { code: "INTERNAL", reason: "UNEXPECTED_ANSWER", ...options });
}

export function answerTooLarge(maxBytes: number): FairleadError {
  const message = `The answer, or one event of it, has more than ${maxBytes} bytes. Ask for less, or raise maxAnswerBytes.`;
  return new FairleadError(message, { code: "OUT_OF_RANGE", reason: "ANSWER_TOO_LARGE" });
}

export function invalidArgument(reason: ErrorReason, message: string): FairleadError {
  return new FairleadError(message, { code: "INVALID_ARGUMENT", reason });
}
