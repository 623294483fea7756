import { ERROR_DETAILS, type ErrorDetail } from "#kit/errors/shown-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { Type } from "#kit/schema/shape.ts";
import { isLoopback } from "#shared/security/bind-guard.ts";

/** Only the server in one process has the setting: services on a network always give generic errors. */
export const errorDetailConfigSchema = Type.Object({
  ERROR_DETAIL: Type.Enum([...ERROR_DETAILS], {
    default: "generic",
    description:
      "What clients, stored events and traces contain of an exception: a general message, or with `full` its text too. `full` has no effect unless HOST is a loopback address.",
  }),
});

/**
 * The setting, or `generic` if other machines reach the server: texts of exceptions contain paths, addresses and keys.
 */
export function errorDetailOf(
  { ERROR_DETAIL, HOST }: { readonly ERROR_DETAIL: ErrorDetail; readonly HOST: string },
  logger: Logger,
): ErrorDetail {
  if (ERROR_DETAIL === "generic" || isLoopback(HOST)) return ERROR_DETAIL;
  logger.warn(
    { host: HOST },
    "ERROR_DETAIL=full is ignored: HOST is not a loopback address, and other machines would read the texts of exceptions. Errors are generic.",
  );
  return "generic";
}
