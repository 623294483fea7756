import type { ScopeMap } from "../scope-map.ts";
import type { ProviderClient } from "../sign-in-provider.ts";

/**
 * How an issuer's callers get their tenant: it is fixed, or a claim names it. `allowed` lists the tenants that the
 * claim can name; empty means all.
 */
export type IssuerTenant =
  | { readonly kind: "fixed"; readonly tenantId: string }
  | { readonly kind: "claim"; readonly claim: string; readonly allowed: readonly string[] };

/** An identity provider whose tokens are accepted, and how they are read. */
export interface Issuer {
  /** The URL, exactly as tokens name it in `iss`. */
  readonly issuer: string;
  /** A token needs one of them in `aud`. */
  readonly audience: readonly string[];
  /** The clients whose tokens are accepted, by `azp` or `client_id`; all if empty. */
  readonly clients: readonly string[];
  /** Where the keys are; found by discovery if empty. */
  readonly jwksUri: string;
  /** The `typ` that the token's header must have. Empty accepts each `typ` of an access token. */
  readonly typ: string;
  readonly userClaim: string;
  /** Stands before the user's id, so that users of several providers cannot have the same one. */
  readonly userPrefix: string;
  /** How the tenant of a caller is found. */
  readonly tenant: IssuerTenant;
  /** The first of `scope`, `scp` and `permissions` if empty. */
  readonly scopesClaim: string;
  readonly groupsClaim: string;
  /** What groups allow, besides the scopes of the token. */
  readonly scopeMap: ScopeMap;
  /** Present if pages sign in with it. */
  readonly client?: ProviderClient;
}
