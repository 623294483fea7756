import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { secretText } from "#ports/api-keys/secret-text.ts";
import { linesOf, WatchedFile } from "#shared/security/watched-file.ts";

const SETTING = "SESSION_COOKIE_KEY_FILE";
const KEY_BYTES = 32;

/** The keys of the file, read again when it changes; a random one if the path is empty. Throws `CONFIGURATION`. */
export function openCookieKeys(
  path: string,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): () => readonly Buffer[] {
  if (path === "") {
    const keys = [Buffer.from(secretText(), "base64url")];
    logger.warn(
      {},
      `${SETTING} is not set: pages have to sign in again after a restart, and each gateway accepts only its own cookies`,
    );
    return () => keys;
  }
  const file = new WatchedFile({ path, setting: SETTING, parse: parseKeys, clock, logger });
  return () => file.content;
}

function parseKeys(text: string): readonly Buffer[] {
  const keys = linesOf(text).map((line) => Buffer.from(line, "base64"));
  if (keys.length > 0 && keys.every(({ length }) => length === KEY_BYTES)) return keys;
  throw new PlatformError(
    "CONFIGURATION",
    `Each line of the file of ${SETTING} must be a key of ${KEY_BYTES} bytes as base64: openssl rand -base64 ${KEY_BYTES}.`,
  );
}
