/** How the users of a toolset sign in at its server. */
export interface McpSignInOptions {
  /** The address to which the user's browser returns: the developer UI's is `<origin>/dev-ui/`. */
  readonly redirectUri: string;
  /** The https address of a metadata document of this client, which many servers take as its id. */
  readonly clientMetadataUrl?: string;
  /** A client that is registered at the authorization server. Without one, and without a document, it is registered. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The client's name on the sign-in page. Default: Fairlead. */
  readonly clientName?: string;
  /** The scopes of the first sign-in. Default: those that the server names. */
  readonly scopes?: readonly string[];
}
