import type { JsonObject } from "#kit/platform/json.ts";
import type { Caller } from "./caller.ts";

/** How this server is registered with an identity provider. */
export interface ProviderClient {
  readonly id: string;
  /** File with the client's secret; empty for a public client. */
  readonly secretFile: string;
  /** Scopes that a sign-in requests. */
  readonly scopes: readonly string[];
  /** The provider's name on the page. */
  readonly label: string;
}

/** An identity provider with which pages sign in. */
export interface SignInProvider {
  /** The URL, as its tokens name it in `iss`. */
  readonly issuer: string;
  readonly client: ProviderClient;
  /** The caller that the claims of a checked token name. Throws `UNAUTHENTICATED` if they name no valid user. */
  callerOf(claims: JsonObject, expiresAtMs: number): Caller;
  /** Identifies the settings that turn claims into a caller: a change of those settings changes it. */
  readonly rules: string;
  /** Whether the settings let the provider's users be of the tenant. */
  mayBeOf(tenantId: string): boolean;
}
