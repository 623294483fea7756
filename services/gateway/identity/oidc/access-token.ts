import type { JsonObject } from "#kit/platform/json.ts";
import { invalidCredentials } from "../refusals.ts";
import type { Issuer } from "./issuer.ts";
import type { UncheckedToken } from "./token-form.ts";

/** Clocks of issuers may differ from ours by this much. */
export const CLOCK_TOLERANCE_SECONDS = 30;
/** No issuer signs access tokens for longer; a larger number is a mistake, such as milliseconds. */
const MAX_LIFETIME_SECONDS = 30 * 24 * 60 * 60;

/** The types of access tokens (RFC 9068), and of tokens without a special purpose. */
const ACCESS_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);
/** Claims that only an id token has (OpenID Connect Core 3.1.3.6 and 3.3.2.11). */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash", "s_hash"] as const;

/**
 * Checks what the library does not, after the signature: that the token is for requests, of an allowed client, and has
 * sensible times. Throws `UNAUTHENTICATED`.
 */
export function assertAccessToken({ header, claims }: UncheckedToken, issuer: Issuer, nowMs: number): void {
  const typ = typeof header["typ"] === "string" ? header["typ"].toLowerCase() : header["typ"];
  if (issuer.typ === "" && (!ACCESS_TYPES.has(typ) || isIdToken(claims)))
    throw invalidCredentials("The token is not an access token: an id token and the like are not accepted.");
  if (claims["cnf"] !== undefined)
    throw invalidCredentials("The token is bound to a key of its client (cnf), which is not checked here.");
  const client = claims["azp"] ?? claims["client_id"];
  if (issuer.clients.length > 0 && (typeof client !== "string" || !issuer.clients.includes(client)))
    throw invalidCredentials("The token's client (azp) is not accepted here.");
  assertTimes(claims, nowMs);
}

/** Keycloak names the kind of a token in `typ`, Amazon Cognito in `token_use`. */
function isIdToken(claims: JsonObject): boolean {
  const { typ, token_use: use } = claims;
  if (typ === "Bearer" || use === "access") return false;
  return typ !== undefined || use !== undefined || ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name));
}

function assertTimes({ iat, exp }: JsonObject, nowMs: number): void {
  if (typeof iat !== "number" || typeof exp !== "number" || iat < 0 || exp <= iat)
    throw invalidCredentials("The token's times (iat, exp) make no sense.");
  if (iat > nowMs / 1000 + CLOCK_TOLERANCE_SECONDS)
    throw invalidCredentials("The token was issued in the future (iat).");
  if (exp - iat > MAX_LIFETIME_SECONDS) throw invalidCredentials("The token is valid for more than 30 days (exp).");
}
