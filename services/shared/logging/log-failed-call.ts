import type { PlatformError } from "#kit/errors/platform-error.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";

/**
 * Logs what the caller does not get: the text of a foreign exception, of a store or of another service. `fields`
 * identify the call.
 */
export function logFailedCall(logger: Logger, error: PlatformError, fields: LogFields): void {
  const { code, cause, logDetail, httpStatus } = error;
  if (code === "INTERNAL") logger.error({ ...fields, error: cause ?? error }, "call failed");
  else if (logDetail !== undefined || (httpStatus >= 500 && cause !== undefined))
    logger.warn({ ...fields, error }, "call failed");
}
