import { createHash } from "node:crypto";
import type { JSONWebKeySet } from "jose";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import type { Authenticator } from "../authenticator.ts";
import type { SignInProvider } from "../sign-in-provider.ts";
import { fetchJson } from "./fetch-json.ts";
import type { Issuer } from "./issuer.ts";
import { OidcAuthenticator } from "./oidc-authenticator.ts";
import { isSafeUrl } from "./read-issuers.ts";
import { SigningKeys } from "./signing-keys.ts";
import { callerOfToken, mayNameTenant } from "./token-caller.ts";
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

/** The issuer's public keys, found by discovery unless the settings name their address. */
export async function fetchKeys({ issuer, jwksUri }: Pick<Issuer, "issuer" | "jwksUri">): Promise<JSONWebKeySet> {
  const url = jwksUri === "" ? await discover(issuer) : jwksUri;
  const { keys } = await fetchJson(url);
  if (!Array.isArray(keys)) throw new Error(`${url} has no list of keys.`);
  // The library checks each key when it uses it.
  return { keys } as unknown as JSONWebKeySet;
}

/** OpenID Connect Discovery 1.0: the document must name the issuer that was asked. */
async function discover(issuer: string): Promise<string> {
  const url = `${trimEndOf(issuer, "/")}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: jwksUri } = await fetchJson(url);
  if (named !== issuer) throw new Error(`${url} names another issuer.`);
  if (typeof jwksUri !== "string" || !isSafeUrl(jwksUri)) throw new Error(`${url} has no https URL as jwks_uri.`);
  return jwksUri;
}

/** The issuers with which this server is registered; of the others, it accepts only tokens. */
export function toSignInProviders(issuers: readonly Issuer[]): readonly SignInProvider[] {
  return issuers.flatMap((issuer) => {
    const { client } = issuer;
    if (client === undefined) return [];
    const callerOf: SignInProvider["callerOf"] = (claims, expiresAtMs) => callerOfToken(claims, issuer, expiresAtMs);
    const mayBeOf: SignInProvider["mayBeOf"] = (tenantId) => mayNameTenant(issuer.tenant, tenantId);
    return [{ issuer: issuer.issuer, client, rules: rulesOf(issuer), callerOf, mayBeOf }];
  });
}

/** A short digest, for cookies. The tenants that a claim may name are not part of it: `mayBeOf` compares them. */
function rulesOf({ userClaim, userPrefix, tenant, scopesClaim, groupsClaim, scopeMap }: Issuer): string {
  const tenantRule = tenant.kind === "fixed" ? { tenantId: tenant.tenantId } : { claim: tenant.claim };
  const rules = JSON.stringify([userClaim, userPrefix, tenantRule, scopesClaim, groupsClaim, scopeMap.text]);
  return createHash("sha256").update(rules).digest("base64url").slice(0, 16);
}
