import type { ClientAuth, Configuration, CustomFetch } from "openid-client";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { mayBeInsecure, type OAuthServer, oauthServer } from "./oauth-server.ts";

export type OAuth2Auth = NonNullable<Extract<AuthCredential, { authType: "oauth2" | "openIdConnect" }>["oauth2"]>;
export type OAuthLibrary = typeof import("openid-client");

/** A client of an authorization server, ready for requests. */
export interface OAuthClient {
  readonly library: OAuthLibrary;
  readonly configuration: Configuration;
  readonly server: OAuthServer;
  readonly registered: OAuth2Auth & { readonly clientId: string };
}

const TIMEOUT_SECONDS = 30;

/** Throws `CREDENTIAL_UNUSABLE`, and what requests for the server's metadata throw. */
export async function createOAuthClient(
  { authScheme, rawAuthCredential }: AuthConfig,
  scope: Pick<CredentialScope, "outbound" | "signal">,
): Promise<OAuthClient> {
  const oauth2 =
    rawAuthCredential !== undefined && "oauth2" in rawAuthCredential ? rawAuthCredential.oauth2 : undefined;
  const { clientId = "" } = oauth2 ?? {};
  if (oauth2 === undefined || clientId === "") throw unusable("rawAuthCredential.oauth2.clientId is missing");
  const [library, server] = await Promise.all([loadOAuthLibrary(), oauthServer(authScheme, scope)]);
  const auth = clientAuthOf(library, oauth2);
  const configuration = new library.Configuration(server.metadata, clientId, undefined, auth);
  configuration.timeout = TIMEOUT_SECONDS;
  configuration[library.customFetch] = fetchOf(server, scope);
  if (mayBeInsecure(server.metadata.token_endpoint ?? "")) library.allowInsecureRequests(configuration);
  return { library, configuration, server, registered: { ...oauth2, clientId } };
}

/** The library is loaded by the first tool that signs in, because most processes have no such tool. */
export function loadOAuthLibrary(): Promise<OAuthLibrary> {
  return import("openid-client");
}

function clientAuthOf(library: OAuthLibrary, { clientSecret, tokenEndpointAuthMethod }: OAuth2Auth): ClientAuth {
  if (clientSecret === undefined || clientSecret === "" || tokenEndpointAuthMethod === "none") return library.None();
  switch (tokenEndpointAuthMethod ?? "client_secret_basic") {
    case "client_secret_basic":
      return library.ClientSecretBasic(clientSecret);
    case "client_secret_post":
      return library.ClientSecretPost(clientSecret);
    case "client_secret_jwt":
      return library.ClientSecretJwt(clientSecret);
    default:
      throw unusable(
        "oauth2.tokenEndpointAuthMethod is none of client_secret_basic, client_secret_post, client_secret_jwt, none",
      );
  }
}

/**
 * A `fetch` that uses the runner's outbound access. If the issuer is unknown, it removes the id token from the answer,
 * because the token cannot be verified.
 */
function fetchOf(
  { hasIssuer, metadata }: OAuthServer,
  { outbound, signal }: Pick<CredentialScope, "outbound" | "signal">,
): CustomFetch {
  return async (url, { body, ...options }) => {
    const signals = options.signal === undefined ? [signal] : [signal, options.signal];
    const response = await outbound.fetch(url, {
      ...{ method: options.method, headers: options.headers, redirect: "manual", signal: AbortSignal.any(signals) },
      // The library sends only form bodies.
      body: body !== undefined && body !== null ? (body as NonNullable<RequestInit["body"]>) : undefined,
    });
    if (hasIssuer || url !== metadata.token_endpoint || !response.ok) return response;
    const answer: unknown = await response.json();
    const { id_token: _, ...rest } = isJsonObject(answer) ? answer : {};
    return new Response(JSON.stringify(isJsonObject(answer) ? rest : answer), {
      status: response.status,
      headers: { "content-type": "application/json" },
    });
  };
}

function unusable(problem: string): PlatformError {
  return new PlatformError("CREDENTIAL_UNUSABLE", `The credential of the tool cannot be used: ${problem}.`);
}
