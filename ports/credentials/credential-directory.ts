import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { TenantScoped } from "#kit/names/tenant.ts";

/** A user, of all apps or of one. */
export interface CredentialUser extends TenantScoped {
  readonly userId: string;
  readonly appName?: string;
}

/** The public data of a stored credential, without any secret. */
export interface CredentialSummary {
  readonly appName: string;
  readonly credentialKey: string;
  readonly authType: AuthCredential["authType"];
  /** Milliseconds since 1970. */
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** Lists the public data of a user's stored credentials. */
export interface CredentialDirectory {
  /** Sorted by app and key. Entries of sign-ins in progress are omitted. */
  listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]>;
}
