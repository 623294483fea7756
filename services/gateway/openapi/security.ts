import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { PUBLIC, type RouteAccess } from "../access/route-access.ts";

/** The kinds of credentials that the description offers. A server without authentication asks for none. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An access token of an issuer that the server accepts, or an API key.",
  },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key of this server." },
} as const satisfies JsonObject;

/** The members of an operation that describe what its callers need: any one of the credentials, with the scope. */
export function securityOf(access: RouteAccess): JsonObject {
  if (access === PUBLIC) return { security: [] };
  const { scope } = access;
  const scopes = scope === undefined ? [] : [scope];
  const security = Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: scopes }));
  return { security, ...(scope !== undefined && { "x-scope": scope }) };
}

/** The refusals that follow from an operation's access, and from the quotas that count all protected ones. */
export function refusalsOf(access: RouteAccess): readonly ErrorReason[] {
  if (access === PUBLIC) return [];
  return [
    "UNAUTHENTICATED",
    ...(access.scope === undefined ? [] : (["SCOPE_MISSING"] as const)),
    ...(access.owner.endsWith("-user") || access.owner === "caller" ? (["USER_NOT_ALLOWED"] as const) : []),
    "QUOTA_EXCEEDED",
  ];
}
