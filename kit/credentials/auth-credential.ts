/** The values of the header `Authorization`. */
interface HttpCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
}

export interface HttpAuth {
  readonly scheme: string;
  readonly credentials: HttpCredentials;
  readonly additionalHeaders?: Readonly<Record<string, string>>;
}

/** A client of an authorization server, what a user consents to, and the tokens. */
interface OAuth2Auth {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The page on which the user consents. */
  readonly authUri?: string;
  readonly state?: string;
  readonly nonce?: string;
  readonly redirectUri?: string;
  /** The address that the authorization server led the user's browser to. */
  readonly authResponseUri?: string;
  readonly authCode?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly idToken?: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** Seconds from the answer of the authorization server on. */
  readonly expiresIn?: number;
  readonly audience?: string;
  /** The scopes of the tokens, separated by spaces. */
  readonly scope?: string;
  readonly codeVerifier?: string;
  readonly codeChallengeMethod?: string;
  /** `client_secret_basic` if absent. */
  readonly tokenEndpointAuthMethod?: string;
}

/** The key of a service account, as its JSON file has it. */
interface ServiceAccountCredential {
  readonly type: string;
  readonly project_id?: string;
  readonly private_key_id?: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id?: string;
  readonly auth_uri?: string;
  readonly token_uri?: string;
  readonly auth_provider_x509_cert_url?: string;
  readonly client_x509_cert_url?: string;
  readonly universe_domain?: string;
}

interface ServiceAccount {
  readonly serviceAccountCredential?: ServiceAccountCredential;
  readonly useDefaultCredential?: boolean;
  readonly scopes?: readonly string[];
  readonly useIdToken?: boolean;
  readonly audience?: string;
}

/**
 * A credential for calls to a tool's server. Its members have the names of its JSON. It holds secrets: never log it.
 */
export type AuthCredential = { readonly resourceRef?: string } & (
  | { readonly authType: "apiKey"; readonly apiKey?: string }
  | { readonly authType: "http"; readonly http?: HttpAuth }
  | { readonly authType: "oauth2" | "openIdConnect"; readonly oauth2?: OAuth2Auth }
  | { readonly authType: "serviceAccount"; readonly serviceAccount?: ServiceAccount }
);
