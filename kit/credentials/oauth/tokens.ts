import type { TokenEndpointResponse } from "openid-client";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { endSignIn } from "./consent-secret.ts";
import { createOAuthClient, type OAuth2Auth, type OAuthClient } from "./oauth-client.ts";
import { oauthFailure } from "./oauth-failure.ts";

/** The parameters with which the authorization server has redirected the user's browser. */
type Callback = Pick<OAuth2Auth, "authResponseUri" | "authCode" | "state" | "redirectUri">;

/** Used if neither the config nor the client names an address: servers that need none ignore it. */
const NO_REDIRECT = "http://localhost/";

/**
 * Exchanges the code of a sign-in for tokens, with the verifier of its request. Checks `state`, and `iss` if the issuer
 * is known (RFC 9207). Returns undefined if the store no longer has the request's verifier. Throws `CREDENTIAL_DENIED`
 * and `CREDENTIAL_EXCHANGE_FAILED`.
 */
export async function exchangeCode(
  config: AuthConfig,
  callback: Callback,
  scope: CredentialScope,
): Promise<AuthCredential | undefined> {
  const { state = "" } = callback;
  const secrets = await endSignIn(scope, state);
  if (secrets === undefined) return undefined;
  const client = await createOAuthClient(config, scope);
  const { library, configuration, server } = client;
  const hasNonce = server.hasIssuer && scopesOf(client).includes("openid");
  return request(client, scope, () =>
    library.authorizationCodeGrant(configuration, callbackUrl(callback, client), {
      pkceCodeVerifier: secrets.codeVerifier,
      expectedState: state,
      ...(hasNonce && { expectedNonce: secrets.nonce }),
    }),
  );
}

/** The tokens after a refresh. Throws `CREDENTIAL_EXCHANGE_FAILED`. */
export async function refreshTokens(
  config: AuthConfig,
  refreshToken: string,
  scope: CredentialScope,
): Promise<AuthCredential> {
  const client = await createOAuthClient(config, scope);
  const { library, configuration } = client;
  const fresh = await request(client, scope, () => library.refreshTokenGrant(configuration, refreshToken));
  // A server that sends no new refresh token accepts the old one again (RFC 6749, section 6).
  const oauth2 = { refreshToken, ...fresh.oauth2 };
  return { authType: "oauth2", oauth2 };
}

/** The tokens of the client itself. Throws `CREDENTIAL_EXCHANGE_FAILED`. */
export async function clientTokens(config: AuthConfig, scope: CredentialScope): Promise<AuthCredential> {
  const client = await createOAuthClient(config, scope);
  const { library, configuration, registered } = client;
  const scopes = scopesOf(client).join(" ");
  const parameters = {
    ...(scopes !== "" && { scope: scopes }),
    ...(registered.audience !== undefined && { audience: registered.audience }),
  };
  return request(client, scope, () => library.clientCredentialsGrant(configuration, parameters));
}

/** The scopes to ask for. */
export function scopesOf({ server }: OAuthClient): readonly string[] {
  return server.scopes;
}

async function request(
  { library, configuration, registered }: OAuthClient,
  { clock }: CredentialScope,
  send: () => Promise<TokenEndpointResponse>,
): Promise<{ readonly authType: "oauth2"; readonly oauth2: OAuth2Auth }> {
  let tokens: TokenEndpointResponse;
  try {
    tokens = await send();
  } catch (error) {
    throw oauthFailure(library, error, new URL(configuration.serverMetadata().token_endpoint ?? "").host);
  }
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, expires_in: expiresIn } = tokens;
  return {
    authType: "oauth2",
    oauth2: {
      ...{ clientId: registered.clientId, accessToken },
      ...(refreshToken !== undefined && { refreshToken }),
      ...(idToken !== undefined && { idToken }),
      ...(expiresIn !== undefined && { expiresAt: Math.floor(clock.now() / 1000) + expiresIn }),
    },
  };
}

function callbackUrl({ authResponseUri, authCode, state = "", redirectUri }: Callback, client: OAuthClient): URL {
  const url = new URL(authResponseUri ?? redirectUri ?? client.registered.redirectUri ?? NO_REDIRECT);
  if (authResponseUri === undefined) {
    url.searchParams.set("code", authCode ?? "");
    url.searchParams.set("state", state);
  }
  // Without a known issuer there is nothing to compare `iss` with.
  if (!client.server.hasIssuer) url.searchParams.delete("iss");
  return url;
}
