import type { AgentCard, SecurityScheme } from "@a2a-js/sdk";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import type { AuthScheme } from "#kit/credentials/auth-scheme.ts";
import { AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";

/** How users sign in at a remote by a security scheme that its card names. */
export interface A2ASignInOptions {
  /** The name of the scheme in the card. Default: the first one that the card demands alone and that users can use. */
  readonly scheme?: string;
  /** The address that the user's browser returns to: the developer UI's is `<origin>/dev-ui/`. For OAuth 2 and OpenID Connect. */
  readonly redirectUri?: string;
  /** The client that is registered at the authorization server, for OAuth 2 and OpenID Connect. */
  readonly clientId?: string;
  readonly clientSecret?: string;
}

/** The config for the scheme of the card. Throws `AgentCardResolutionError` if the card has no scheme that can be used. */
export function cardConfig(
  card: AgentCard,
  signIn: A2ASignInOptions,
): Pick<AuthConfig, "authScheme" | "rawAuthCredential"> {
  const names = signIn.scheme === undefined ? demandedSchemes(card) : [signIn.scheme];
  for (const name of names) {
    const authScheme = authSchemeOf(card.securitySchemes[name]?.scheme);
    if (authScheme === undefined) continue;
    const isOAuth = authScheme.type === "oauth2" || authScheme.type === "openIdConnect";
    if (!isOAuth) return { authScheme };
    const { clientId, clientSecret, redirectUri } = signIn;
    if (clientId === undefined) continue;
    return {
      authScheme,
      rawAuthCredential: { authType: authScheme.type, oauth2: { clientId, clientSecret, redirectUri } },
    };
  }
  const found = names.join(", ") || "none";
  throw new AgentCardResolutionError(
    `signIn: the agent card names no security scheme that users can sign in with (its schemes: ${found}). Give signIn.clientId for OAuth 2 and OpenID Connect, or authScheme in place of signIn.`,
  );
}

/** Those of requirements that name one scheme, or if there is no such requirement, all. */
function demandedSchemes({ securityRequirements, securitySchemes }: AgentCard): readonly string[] {
  const alone = securityRequirements.map(({ schemes }) => Object.keys(schemes)).filter(({ length }) => length === 1);
  return alone.length > 0 ? alone.flat() : Object.keys(securitySchemes);
}

function authSchemeOf(scheme: SecurityScheme["scheme"]): AuthScheme | undefined {
  switch (scheme?.$case) {
    case "apiKeySecurityScheme": {
      const { location, name } = scheme.value;
      return location === "header" || location === "query" || location === "cookie"
        ? { type: "apiKey", in: location, name }
        : undefined;
    }
    case "httpAuthSecurityScheme":
      return { type: "http", scheme: scheme.value.scheme.toLowerCase() };
    case "oauth2SecurityScheme": {
      const flow = scheme.value.flows?.flow;
      if (flow?.$case !== "authorizationCode" && flow?.$case !== "clientCredentials") return undefined;
      const { tokenUrl, refreshUrl, scopes } = flow.value;
      const more = flow.$case === "authorizationCode" ? { authorizationUrl: flow.value.authorizationUrl } : {};
      return {
        type: "oauth2",
        flows: { [flow.$case]: { ...more, tokenUrl, refreshUrl: refreshUrl === "" ? undefined : refreshUrl, scopes } },
      };
    }
    case "openIdConnectSecurityScheme":
      return { type: "openIdConnect", openIdConnectUrl: scheme.value.openIdConnectUrl };
    default:
      return undefined;
  }
}
