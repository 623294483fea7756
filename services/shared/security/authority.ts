import type { Principal } from "./principal.ts";

/** For whom a call is made, as far as it has been checked. */
export type Authority =
  /** Principals are switched off. */
  | { readonly kind: "unchecked" }
  /** For no user: the call reaches what its method gives to such calls, and nothing else. */
  | { readonly kind: "no-user" }
  | { readonly kind: "principal"; readonly principal: Principal }
  /** For a run; the principal is the one that the run's grant names. */
  | {
      readonly kind: "grant";
      readonly principal: Principal;
      readonly expiresAtMs: number;
      readonly for: GrantFor;
    }
  | Permitted;

/** For an evaluation, to get grants until its permit expires. */
type Permitted = { readonly kind: "permit"; readonly principal: Principal; readonly expiresAtMs: number };

/** The services that accept a grant: all that runs need, or the session service alone, which signs these with a secret key. */
export type GrantFor = "services" | "session";

export const UNCHECKED: Authority = { kind: "unchecked" };
export const NO_USER: Authority = { kind: "no-user" };

export function principalOf(authority: Authority): Principal | undefined {
  return "principal" in authority ? authority.principal : undefined;
}
