import type { AuthConfig } from "../auth-config.ts";
import type { CredentialScope } from "../credential-scope.ts";

/** What a credential is got for: the context of a tool call. */
export interface CredentialContext {
  readonly credentialScope: CredentialScope;
  /** Asks the user for the credential; the run ends with the question. */
  requestCredential(authConfig: AuthConfig): Promise<void>;
}
