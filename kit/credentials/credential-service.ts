import type { TenantScoped } from "#kit/names/tenant.ts";
import type { AuthCredential } from "./auth-credential.ts";

/** Whose credentials: they are never shared across tenants, apps or users. */
export interface CredentialOwner extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
}

/** A credential as it is kept. */
export interface StoredCredential {
  readonly credential: AuthCredential;
  /** Another one after each change; never 0. */
  readonly version: number;
}

/** The credentials of users for tools. */
export interface CredentialService {
  /** Undefined if the user has none under the key. */
  loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined>;
  /**
   * Keeps the credential in place of an earlier one. With `ifVersion`, only if the stored one has that version still, or
   * with 0, if there is none: so that of several runs that refresh a token at the same time one keeps its result.
   * Returns the new version; undefined if nothing was changed. Throws `TOO_MANY_CREDENTIALS` for a further one of a user
   * who has as many as may be kept.
   */
  saveCredential(
    owner: CredentialOwner,
    credentialKey: string,
    credential: AuthCredential,
    ifVersion?: number,
  ): Promise<number | undefined>;
  /** Does nothing if there is none. With `ifVersion`, deletes that version only. */
  deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void>;
}
