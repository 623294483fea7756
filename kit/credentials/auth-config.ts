import type { AuthCredential } from "./auth-credential.ts";
import type { AuthScheme } from "./auth-scheme.ts";

/**
 * The authentication that a tool requires. In a client's answer it also contains the credential that the client
 * obtained.
 */
export interface AuthConfig {
  readonly authScheme: AuthScheme;
  /** As the author of the tool gives it, such as an OAuth client. */
  readonly rawAuthCredential?: AuthCredential;
  /** The result of the exchange of the raw credential, such as tokens. */
  readonly exchangedAuthCredential?: AuthCredential;
  /** The name under which the user's credential is kept; `credentialKeyOf` if absent. */
  readonly credentialKey?: string;
}
