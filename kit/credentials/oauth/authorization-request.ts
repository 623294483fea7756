import { createHash } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import { credentialKeyOf } from "../credential-key.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { redactedAuthConfig } from "../redacted-auth-config.ts";
import { beginSignIn, newState } from "./consent-secret.ts";
import { createOAuthClient } from "./oauth-client.ts";
import { scopesOf } from "./tokens.ts";

/**
 * The request for a credential as clients see it: without secrets, and for OAuth 2 and OpenID Connect with the address at
 * which the user signs in, unless the config has one. Throws `CREDENTIAL_UNUSABLE`, and what requests for a server's metadata throw.
 */
export async function authorizationRequest(config: AuthConfig, scope: CredentialScope): Promise<JsonObject> {
  const { authScheme, rawAuthCredential } = config;
  const given = config.exchangedAuthCredential;
  const isReady = given !== undefined && "oauth2" in given && given.oauth2?.authUri !== undefined;
  const exchangedAuthCredential = signsIn(config) && !isReady ? await signIn(config, scope) : given;
  return redactedAuthConfig({
    authScheme,
    ...(rawAuthCredential !== undefined && { rawAuthCredential: withMethod(rawAuthCredential) }),
    ...(exchangedAuthCredential !== undefined && { exchangedAuthCredential }),
    credentialKey: credentialKeyOf(config),
  });
}

function signsIn({ authScheme: { type } }: AuthConfig): boolean {
  return type === "oauth2" || type === "openIdConnect";
}

async function signIn(config: AuthConfig, scope: CredentialScope): Promise<AuthCredential> {
  const client = await createOAuthClient(config, scope);
  const { server, registered } = client;
  const { clientId, redirectUri, audience, authUri } = registered;
  const endpoint = authUri ?? server.metadata.authorization_endpoint;
  if (endpoint === undefined)
    throw new PlatformError(
      "CREDENTIAL_UNUSABLE",
      "The credential of the tool cannot be used: authScheme has no authorizationUrl, so no user can sign in.",
    );
  const state = newState();
  const { codeVerifier, nonce } = await beginSignIn(scope, state);
  const scopes = scopesOf(client);
  const url = new URL(endpoint);
  const parameters = {
    ...{ response_type: "code", client_id: clientId },
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...{ state, access_type: "offline", prompt: "consent" },
    ...(audience !== undefined && { audience }),
    ...(scopes.includes("openid") && { nonce }),
    ...{ code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"), code_challenge_method: "S256" },
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const oauth2 = {
    ...{ clientId, authUri: url.href, state },
    ...(redirectUri !== undefined && { redirectUri }),
    ...(audience !== undefined && { audience }),
  };
  const authType = config.rawAuthCredential?.authType === "openIdConnect" ? "openIdConnect" : "oauth2";
  return withMethod({ authType, oauth2 });
}

/** ADK's configs name the method, which has a default. */
function withMethod(credential: AuthCredential): AuthCredential {
  if (!("oauth2" in credential) || credential.oauth2 === undefined) return credential;
  return { ...credential, oauth2: withDefaults({ tokenEndpointAuthMethod: "client_secret_basic" }, credential.oauth2) };
}
