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
    return [{ issuer: issuer.issuer, client, callerOf, mayBeOf }];
  });
}
