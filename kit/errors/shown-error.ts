import type { PlatformError } from "./platform-error.ts";
import { redactText } from "./redact.ts";

/**
 * How much of an error clients, stored events and spans contain: only our own sentence, or the exception's text as
 * well.
 */
export const ERROR_DETAILS = ["generic", "full"] as const;
export type ErrorDetail = (typeof ERROR_DETAILS)[number];

export interface ErrorExposure {
  readonly errorDetail: ErrorDetail;
  /** Where the log has the full text: `run 0199…` or `request 0199…`. */
  readonly place: string;
}

/**
 * The text of an error for clients, stored events and spans. It includes the text of foreign exceptions only with
 * `full`.
 */
export function shownMessage(error: PlatformError, { errorDetail, place }: ErrorExposure): string {
  if (errorDetail === "full") return redactText(fullText(error));
  if (!hasHiddenText(error)) return redactText(error.message);
  const message = error.reason === "INTERNAL" ? "The server failed to handle this request." : redactText(error.message);
  return `${message} The server's log has the details of ${place}.`;
}

/** Whether the log has more text than the message. */
export function hasHiddenText({ reason, cause, logDetail }: PlatformError): boolean {
  return logDetail !== undefined || (reason === "INTERNAL" && cause !== undefined);
}

function fullText({ reason, message, logDetail, cause }: PlatformError): string {
  if (logDetail !== undefined) return `${message.replace(/\.$/, "")}: ${logDetail}`;
  if (reason !== "INTERNAL" || cause === undefined) return message;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : textOf(cause);
}

/** Any value can be thrown, including one that cannot be converted to a string. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `A value of type ${typeof thrown} was thrown.`;
  }
}
