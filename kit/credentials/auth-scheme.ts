/** Endpoints and scopes of one flow of OAuth 2, as in OpenAPI. */
interface OAuthFlow {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly refreshUrl?: string;
  readonly scopes?: Readonly<Record<string, string>>;
}

type OAuthFlowName = "implicit" | "authorizationCode" | "clientCredentials" | "password";

/** Where a key is put. */
interface ApiKeyScheme {
  readonly type: "apiKey";
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly description?: string;
}

/** The header `Authorization`, with the scheme `bearer`, `basic` or another. */
interface HttpScheme {
  readonly type: "http";
  readonly scheme: string;
  readonly bearerFormat?: string;
  readonly description?: string;
}

/** OAuth 2. With `issuer_url`, missing endpoints are those that the issuer publishes. */
interface OAuth2Scheme {
  readonly type: "oauth2";
  readonly flows: Readonly<Partial<Record<OAuthFlowName, OAuthFlow>>>;
  readonly issuer_url?: string;
  readonly description?: string;
}

/** OpenID Connect, by the address of its metadata or by its endpoints. */
interface OpenIdConnectScheme {
  readonly type: "openIdConnect";
  readonly openIdConnectUrl?: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly userinfo_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly grant_types_supported?: readonly string[];
  readonly scopes?: readonly string[];
  readonly description?: string;
}

/** How a server authenticates calls: a security scheme of OpenAPI. The names are those of its JSON. */
export type AuthScheme = ApiKeyScheme | HttpScheme | OAuth2Scheme | OpenIdConnectScheme;
