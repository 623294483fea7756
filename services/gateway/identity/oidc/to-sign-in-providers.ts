import { createHash } from "node:crypto";
import type { SignInProvider } from "../sign-in-provider.ts";
import type { Issuer } from "./issuer.ts";
import { callerOfToken, mayNameTenant } from "./token-caller.ts";

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
