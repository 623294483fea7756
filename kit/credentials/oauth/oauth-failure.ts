import { PlatformError } from "#kit/errors/platform-error.ts";
import type { OAuthLibrary } from "./oauth-client.ts";

/**
 * An error of the library as the kit's own. Only codes are quoted: descriptions and causes may hold codes and tokens, so
 * the cause is left out too.
 */
export function oauthFailure(library: OAuthLibrary, error: unknown, host: string): PlatformError {
  const own = platformCause(error);
  if (own !== undefined)
    return new PlatformError(own.reason, `No token was obtained from ${host}: ${own.message}`, {
      details: own.details,
    });
  if (error instanceof library.AuthorizationResponseError) {
    const code = shown(error.error);
    return new PlatformError("CREDENTIAL_DENIED", `The sign-in at ${host} ended without consent: ${code}.`);
  }
  if (error instanceof library.ResponseBodyError)
    return failed(`${host} refused the request for a token: ${shown(error.error)}`, error.error);
  if (error instanceof library.WWWAuthenticateChallengeError)
    return failed(`${host} does not accept the client: HTTP status ${error.status}`, "invalid_client");
  const code = error instanceof Error && "code" in error ? shown(error.code) : "unknown fault";
  return failed(`the answer of ${host} is not valid: ${code}`);
}

/** Whether the server has answered that the code or refresh token is invalid or expired. */
export function isInvalidGrant(error: unknown): boolean {
  return error instanceof PlatformError && error.details["oauthError"] === "invalid_grant";
}

function failed(problem: string, oauthError?: string): PlatformError {
  return new PlatformError("CREDENTIAL_EXCHANGE_FAILED", `No token was obtained: ${problem}.`, {
    details: oauthError === undefined ? undefined : { oauthError: shown(oauthError) },
  });
}

function platformCause(error: unknown): PlatformError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if (cause instanceof PlatformError) return cause;
  return undefined;
}

function shown(code: unknown): string {
  return typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : "unknown error";
}
