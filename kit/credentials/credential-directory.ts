import type { TenantScoped } from "#kit/names/tenant.ts";
import type { AuthCredential } from "./auth-credential.ts";

/** A user, of all apps or of one. */
export interface CredentialUser extends TenantScoped {
  readonly userId: string;
  readonly appName?: string;
}

/** What may be shown of a kept credential: never a value of it. */
export interface CredentialSummary {
  readonly appName: string;
  readonly credentialKey: string;
  readonly authType: AuthCredential["authType"];
  /** Milliseconds since 1970. */
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** What a store of credentials shows of them to their user. */
export interface CredentialDirectory {
  /** In the order of app and key. What the kit keeps for sign-ins in progress is left out. */
  listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]>;
}
