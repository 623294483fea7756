import type { TenantScoped } from "#kit/names/tenant.ts";
import type { AuthCredential } from "./auth-credential.ts";

/** The owner of credentials, which are never shared across tenants, apps or users. */
export interface CredentialOwner extends TenantScoped {
  readonly appName: string;
  readonly userId: string;
}

/** A stored credential with its version. */
export interface StoredCredential {
  readonly credential: AuthCredential;
  /** Different after each change; never 0. */
  readonly version: number;
}

/** The credentials of users for tools. */
export interface CredentialService {
  /** Undefined if the user has none under the key. */
  loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined>;
  /**
   * Stores the credential and replaces an earlier one. With `ifVersion`, it does so only if that is still the stored
   * version, or with 0, if there is none: of several runs that refresh a token at the same time, only one stores its
   * result. Returns the new version, or undefined if nothing was changed. Throws `TOO_MANY_CREDENTIALS` for a new
   * credential of a user who has reached the limit.
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
