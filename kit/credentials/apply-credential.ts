import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AuthCredential, HttpAuth } from "./auth-credential.ts";
import type { AuthScheme } from "./auth-scheme.ts";

/** The headers, query parameters and cookies that a credential adds to a request. */
export interface AppliedCredential {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
}

const NOTHING: AppliedCredential = { headers: {}, query: {}, cookies: {} };

/**
 * Returns the headers, query parameters and cookies that authenticate a request. Tokens of OAuth 2 and OpenID Connect
 * are bearer tokens; the key of a service account has to be exchanged for a token before. Throws `CREDENTIAL_UNUSABLE`,
 * whose text contains no secret.
 */
export function applyCredential(scheme: AuthScheme, credential: AuthCredential): AppliedCredential {
  switch (credential.authType) {
    case "apiKey":
      return applyKey(scheme, credential.apiKey);
    case "http":
      return { ...NOTHING, headers: httpHeaders(credential.http) };
    case "oauth2":
    case "openIdConnect":
      return bearer(required(credential.oauth2?.accessToken, "oauth2.accessToken"));
    case "serviceAccount":
      throw unusable("serviceAccount has to be exchanged for a token first");
    default:
      return credential satisfies never;
  }
}

function applyKey(scheme: AuthScheme, apiKey: string | undefined): AppliedCredential {
  const key = required(apiKey, "apiKey");
  if (scheme.type !== "apiKey") throw unusable(`an API key does not fit a scheme of type ${scheme.type}`);
  const { name } = scheme;
  if (scheme.in === "query") return { ...NOTHING, query: { [name]: key } };
  if (!isToken(name)) throw unusable("the scheme's name is not a name of a header or cookie");
  if (scheme.in === "header") return { ...NOTHING, headers: { [name]: headerValue(key, "apiKey") } };
  if (!isCookieValue(key)) throw unusable("apiKey has characters that a cookie cannot hold");
  return { ...NOTHING, cookies: { [name]: key } };
}

function httpHeaders(http: HttpAuth | undefined): Readonly<Record<string, string>> {
  if (http === undefined) throw unusable("http is missing");
  return { ...additional(http), Authorization: authorization(http) };
}

function additional({ additionalHeaders = {} }: HttpAuth): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(additionalHeaders)) {
    if (!isToken(name)) throw unusable("http.additionalHeaders has a name that is not a header's");
    headers[name] = headerValue(value, `http.additionalHeaders.${name}`);
  }
  return headers;
}

function authorization({ scheme, credentials }: HttpAuth): string {
  const { username, password, token } = credentials;
  const kind = scheme.toLowerCase();
  if (!isToken(scheme)) throw unusable("http.scheme is not a name of a scheme");
  if (kind === "basic" && token === undefined) {
    const user = required(username, "http.credentials.username");
    // A colon would end the user name.
    if (user.includes(":")) throw unusable("http.credentials.username has a colon");
    const pair = `${user}:${required(password, "http.credentials.password")}`;
    return `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
  }
  const value = headerValue(required(token, "http.credentials.token"), "http.credentials.token");
  return `${kind === "bearer" ? "Bearer" : scheme} ${value}`;
}

function bearer(token: string): AppliedCredential {
  return { ...NOTHING, headers: { Authorization: `Bearer ${headerValue(token, "oauth2.accessToken")}` } };
}

function required(value: string | undefined, member: string): string {
  if (value === undefined || value === "") throw unusable(`${member} is missing`);
  return value;
}

/** A line break would begin a header of its own. */
function headerValue(value: string, member: string): string {
  if (value.trim() !== value || !/^[\x20-\x7e]+$/.test(value))
    throw unusable(`${member} has characters that a header cannot hold`);
  return value;
}

function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

function isCookieValue(text: string): boolean {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(text);
}

function unusable(problem: string): PlatformError {
  return new PlatformError("CREDENTIAL_UNUSABLE", `The credential of the tool cannot be used: ${problem}.`);
}
