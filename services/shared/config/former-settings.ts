import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Environment } from "./load-config.ts";

/** Throws `CONFIGURATION` for a setting that is not read any more, and whose loss would leave the process less protected. */
export function assertNoFormerSettings(environment: Environment): void {
  if ((environment["PRINCIPAL_KEY_FILE"] ?? "") === "") return;
  throw new PlatformError(
    "CONFIGURATION",
    "PRINCIPAL_KEY_FILE is not read any more: one key of all services let each of them sign for every user. Remove it, and set PRINCIPAL_PRIVATE_KEY_FILE of gateways, PRINCIPAL_PUBLIC_KEYS_FILE of the other services, and GRANT_PRIVATE_KEY_FILE and GRANT_PUBLIC_KEYS_FILE.",
  );
}
