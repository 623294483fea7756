import { redactText } from "#kit/errors/redact.ts";
import { isJsonObject } from "#kit/platform/json.ts";

const MAX_ERROR_CHARACTERS = 500;

/** The text of an SDK's error, without credentials and of bounded length. `limit` names the option that limits the wait. */
export function problemOf(error: unknown, limit: "timeoutMs" | "readTimeoutMs"): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const text = redactText(message).slice(0, MAX_ERROR_CHARACTERS).toWellFormed();
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  if (!isJsonObject(data)) return text;
  const { timeout, status } = data;
  if (code === "REQUEST_TIMEOUT" && typeof timeout === "number")
    return `the server did not answer within ${timeout} ms, the limit of ${limit}.`;
  return typeof status === "number" && !text.includes(`${status}`) ? `${text} (HTTP ${status})` : text;
}
