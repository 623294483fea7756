import { isIdentifier } from "#kit/names/identifiers.ts";
import { isTenantId } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Caller } from "../caller.ts";
import { invalidCredentials } from "../refusals.ts";
import { isScope, type Scope } from "../scopes.ts";
import type { Issuer, IssuerTenant } from "./issuer.ts";

/** The caller that a checked token names. Throws `UNAUTHENTICATED` if it names no valid user. */
export function callerOfToken(claims: JsonObject, issuer: Issuer, expiresAtMs: number): Caller {
  const { sub } = claims;
  if (typeof sub !== "string" || !isIdentifier(sub)) throw invalidCredentials("The token's sub is not a valid name.");
  const groups = textsOf(claims[issuer.groupsClaim]);
  return {
    source: "oidc",
    subject: `oidc:${issuer.issuer}|${sub}`,
    tenantId: tenantOfToken(claims, issuer.tenant),
    userId: userOf(claims, issuer),
    apps: undefined,
    groups,
    scopes: new Set([...scopesOf(claims, issuer), ...issuer.scopeMap.scopesOf(groups)]),
    expiresAtMs,
  };
}

function userOf(claims: JsonObject, { userClaim, userPrefix }: Issuer): string {
  const value = claims[userClaim];
  const userId = typeof value === "string" && value !== "" ? userPrefix + value : "";
  if (!isIdentifier(userId)) throw invalidCredentials(`The token's ${userClaim} is missing or no valid user.`);
  // Otherwise a person who can set an unverified address could be any user.
  if (userClaim === "email" && claims["email_verified"] !== true)
    throw invalidCredentials("The token's email is not verified.");
  return userId;
}

/** A token that names no tenant is of none, and never of the default one. */
function tenantOfToken(claims: JsonObject, tenant: IssuerTenant): string {
  if (tenant.kind === "fixed") return tenant.tenantId;
  const { claim } = tenant;
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value !== "string" || !isTenantId(value))
    throw invalidCredentials(`The token's ${claim} is missing or no valid tenant.`);
  if (!mayNameTenant(tenant, value)) throw invalidCredentials(`The token's ${claim} is not a tenant of this server.`);
  return value;
}

/** Whether callers of an issuer with this rule may be of the tenant. */
export function mayNameTenant(tenant: IssuerTenant, tenantId: string): boolean {
  if (tenant.kind === "fixed") return tenant.tenantId === tenantId;
  return tenant.allowed.length === 0 || tenant.allowed.includes(tenantId);
}

/** Providers name the claim differently, and write it as a list or as one text with spaces. */
const SCOPE_CLAIMS = ["scope", "scp", "permissions"] as const;

function scopesOf(claims: JsonObject, { scopesClaim }: Issuer): readonly Scope[] {
  const name = scopesClaim === "" ? SCOPE_CLAIMS.find((claim) => Object.hasOwn(claims, claim)) : scopesClaim;
  const value = name === undefined ? undefined : claims[name];
  const texts = typeof value === "string" ? value.split(" ") : textsOf(value);
  return texts.filter(isScope);
}

function textsOf(value: unknown): readonly string[] {
  return [value].flat().filter((entry) => typeof entry === "string");
}
