import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Authenticator } from "../authenticator.ts";
import { fetchKeys } from "./fetch-keys.ts";
import type { Issuer } from "./issuer.ts";
import { OidcAuthenticator } from "./oidc-authenticator.ts";
import { SigningKeys } from "./signing-keys.ts";
import { TokenVerifier } from "./token-verifier.ts";

/** Calls no issuer: their keys are fetched when the first token arrives. */
export async function openOidc(
  issuers: readonly Issuer[],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<Authenticator> {
  // Loaded only where tokens are checked.
  const jose = await import("jose");
  const verifiers = issuers.map((issuer): readonly [string, TokenVerifier] => {
    const keys = new SigningKeys({ issuer: issuer.issuer, fetchKeys: () => fetchKeys(issuer), jose, clock, logger });
    return [issuer.issuer, new TokenVerifier({ issuer, keys, jose, clock })];
  });
  return new OidcAuthenticator({ verifiers: new Map(verifiers), clock });
}
