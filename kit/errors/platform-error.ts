import { ERROR_CODES, type ErrorCode } from "./codes.ts";
import { ERROR_REASONS, type ErrorReason } from "./reasons.ts";

/** Members of a `PlatformError` besides its reason and message. */
export interface PlatformErrorOptions {
  /** Facts for programs: ids, fields, limits. Never secrets, paths of the server or another user's data. */
  readonly details?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Text of foreign origin, such as a provider's answer or an exception's message. See `PlatformError.logDetail`. */
  readonly logDetail?: string | undefined;
}

/**
 * An error with a stable reason, in the shape of Google's ErrorInfo (AIP-193). Its message is written for the developer
 * who made the call: it names the field and the fix, and may be sent to clients.
 */
export class PlatformError extends Error {
  readonly reason: ErrorReason;
  readonly details: Readonly<Record<string, string>>;
  /**
   * The text that the log adds to the message. It may contain paths, addresses and keys: clients get it only with
   * `ERROR_DETAIL=full`.
   */
  readonly logDetail: string | undefined;

  constructor(reason: ErrorReason, message: string, options: PlatformErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.reason = reason;
    this.details = options.details ?? {};
    this.logDetail = options.logDetail;
  }

  get code(): ErrorCode {
    return ERROR_REASONS[this.reason].code;
  }

  get httpStatus(): number {
    const entry: { code: ErrorCode; http?: number } = ERROR_REASONS[this.reason];
    return entry.http ?? ERROR_CODES[entry.code].http;
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  /** Whether a store or service did not answer or cannot be reached. The same call can succeed when it is back. */
  get unavailable(): boolean {
    return ERROR_CODES[this.code].unavailable;
  }
}

/** Whether a failure says only that a store or service is unavailable (`PlatformError.unavailable`). */
export function isUnavailable(error: unknown): boolean {
  return error instanceof PlatformError && error.unavailable;
}

/**
 * Returns a `PlatformError` as it is; wraps any other error as INTERNAL with a generic text and the original as cause.
 */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return new PlatformError("INTERNAL", "The server failed to handle this request.", { cause: error });
}
