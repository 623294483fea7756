import ipaddr from "ipaddr.js";
import type { ServerMetadata } from "openid-client";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isInnerName } from "#kit/outbound-http/host-names.ts";
import { isPublicAddress } from "#kit/outbound-http/public-address.ts";
import { hostOf } from "#kit/outbound-http/url-parts.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { AuthScheme } from "../auth-scheme.ts";
import type { CredentialScope } from "../credential-scope.ts";

/** An authorization server as far as a scheme describes it. */
export interface OAuthServer {
  readonly metadata: ServerMetadata;
  /** Whether the server's own metadata names the issuer, so that the issuer in answers can be verified. */
  readonly hasIssuer: boolean;
  readonly scopes: readonly string[];
}

type Reach = Pick<CredentialScope, "outbound" | "signal">;

const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "revocation_endpoint"] as const;
const WELL_KNOWN = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/**
 * The server of a scheme of OAuth 2 or OpenID Connect. Endpoints that the scheme does not give are those that its
 * issuer publishes. Throws `CREDENTIAL_UNUSABLE` for a scheme without endpoints and for metadata of another issuer.
 */
export async function oauthServer(scheme: AuthScheme, reach: Reach): Promise<OAuthServer> {
  const described = describedServer(scheme);
  const published = described.isComplete ? undefined : await publishedMetadata(scheme, reach);
  const metadata = { ...published, ...described.endpoints };
  const { token_endpoint: tokenEndpoint } = metadata;
  if (tokenEndpoint === undefined)
    throw unusable("authScheme names no tokenUrl, and no issuer whose metadata would name it");
  for (const name of ENDPOINTS) if (metadata[name] !== undefined) checkEndpoint(String(metadata[name]), name);
  return {
    metadata: { ...metadata, issuer: published?.issuer ?? new URL(tokenEndpoint).origin },
    hasIssuer: published !== undefined,
    scopes: described.scopes,
  };
}

/** Whether requests to the endpoint may be made without TLS: only within the own network, which the operator allows. */
export function mayBeInsecure(address: string): boolean {
  const url = new URL(address);
  const host = hostOf(url);
  return url.protocol === "http:" && (ipaddr.isValid(host) ? !isPublicAddress(host) : isInnerName(host));
}

interface DescribedServer {
  readonly endpoints: Partial<ServerMetadata>;
  readonly scopes: readonly string[];
  readonly isComplete: boolean;
}

function describedServer(scheme: AuthScheme): DescribedServer {
  if (scheme.type === "openIdConnect") {
    const { authorization_endpoint, token_endpoint, scopes = ["openid"] } = scheme;
    const endpoints = present({ authorization_endpoint, token_endpoint });
    return { endpoints, scopes, isComplete: token_endpoint !== undefined && scheme.openIdConnectUrl === undefined };
  }
  if (scheme.type !== "oauth2") throw unusable(`a scheme of type ${scheme.type} has no authorization server`);
  const { authorizationCode, clientCredentials, implicit, password } = scheme.flows;
  const flow = authorizationCode ?? clientCredentials;
  if (flow === undefined && (implicit !== undefined || password !== undefined))
    throw unusable(
      "authScheme.flows has neither authorizationCode nor clientCredentials; other flows are not supported",
    );
  const endpoints = present({
    authorization_endpoint: authorizationCode?.authorizationUrl,
    token_endpoint: flow?.tokenUrl,
  });
  return { endpoints, scopes: Object.keys(flow?.scopes ?? {}), isComplete: scheme.issuer_url === undefined };
}

function present(endpoints: Readonly<Record<string, string | undefined>>): Partial<ServerMetadata> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, value]) => value !== undefined && value !== ""));
}

async function publishedMetadata(scheme: AuthScheme, reach: Reach): Promise<ServerMetadata> {
  const document = scheme.type === "openIdConnect" ? scheme.openIdConnectUrl : undefined;
  if (document !== undefined) {
    const found = await readMetadata(URL.parse(document), reach);
    if (found !== undefined && isIssuerOf(found.issuer, new URL(document))) return found;
    throw unusable("authScheme.openIdConnectUrl leads to no metadata of its issuer");
  }
  const issuer = scheme.type === "oauth2" ? URL.parse(scheme.issuer_url ?? "") : null;
  if (issuer === null) throw unusable("authScheme names no tokenUrl and no issuer");
  for (const place of placesOf(issuer)) {
    const found = await readMetadata(place, reach);
    if (found?.issuer !== undefined && withoutSlash(found.issuer) === withoutSlash(issuer.href)) return found;
  }
  throw unusable("authScheme.issuer_url leads to no metadata of this issuer");
}

/**
 * Where an issuer's metadata is: RFC 8414 puts the well-known part before the issuer's path, OpenID Connect after it.
 */
function placesOf(issuer: URL): readonly URL[] {
  const path = withoutSlash(issuer.pathname);
  const [oauth = "", openid = ""] = WELL_KNOWN;
  return [...new Set([oauth + path, openid + path, path + openid])].map((place) => new URL(place, issuer.origin));
}

async function readMetadata(url: URL | null, { outbound, signal }: Reach): Promise<ServerMetadata | undefined> {
  if (url === null) return undefined;
  const response = await outbound.fetch(url, { headers: { accept: "application/json" }, signal });
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  const metadata = parsed(await response.text());
  if (!isJsonObject(metadata) || typeof metadata["issuer"] !== "string") return undefined;
  for (const name of ENDPOINTS)
    if (metadata[name] !== undefined && typeof metadata[name] !== "string") return undefined;
  // The library checks each member that it uses, so the unchecked document is passed on as metadata.
  return metadata as unknown as ServerMetadata;
}

/** Whether the document is one of the places where the issuer publishes. */
function isIssuerOf(issuer: string, document: URL): boolean {
  const url = URL.parse(issuer);
  return url !== null && placesOf(url).some(({ href }) => href === document.href);
}

function checkEndpoint(address: string, name: string): void {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "https:" && !mayBeInsecure(address)))
    throw unusable(`the ${name} of the authorization server is not an https address`);
}

function withoutSlash(text: string): string {
  return text.endsWith("/") ? text.slice(0, -1) : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the caller as metadata that is missing.
    return undefined;
  }
}

function unusable(problem: string): PlatformError {
  return new PlatformError("CREDENTIAL_UNUSABLE", `The credential of the tool cannot be used: ${problem}.`);
}
