import type { AuthConfig } from "../auth-config.ts";
import type { CredentialScope } from "../credential-scope.ts";

/** The context of a tool call that needs a credential. */
export interface CredentialContext {
  readonly credentialScope: CredentialScope;
  /** Asks the user for the credential; the run ends with the question. */
  requestCredential(authConfig: AuthConfig): Promise<void>;
}
