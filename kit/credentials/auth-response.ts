import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { AuthCredential } from "./auth-credential.ts";

/** Characters of one value of an answer. */
const MAX_CHARACTERS = 16_384;

/**
 * Reads what the user answered to a request for a credential, in the forms that clients of ADK send: the whole config,
 * its exchanged credential, or `{"result": "…"}` for a key or token. Only what the user gives is read: scheme, client
 * and endpoints are those of the stored request. Throws `CREDENTIAL_MALFORMED` and `CREDENTIAL_STATE_MISMATCH`, whose
 * text contains no secret.
 */
export function readAuthResponse(response: JsonObject, request: JsonObject): AuthCredential {
  const scheme = memberOf(request, "authScheme");
  const given = memberOf(response, "exchangedAuthCredential") ?? response;
  switch (scheme?.["type"]) {
    case "apiKey":
      return { authType: "apiKey", apiKey: text(given, "apiKey") ?? text(response, "result") ?? lacking("apiKey") };
    case "http":
      return readHttp(given, response, text(scheme, "scheme") ?? "bearer");
    case "oauth2":
    case "openIdConnect":
      return readOAuth(memberOf(given, "oauth2") ?? {}, request);
    default:
      throw refused("CREDENTIAL_MALFORMED", "the scheme of the request is unknown");
  }
}

function readHttp(given: JsonObject, response: JsonObject, scheme: string): AuthCredential {
  const credentials = memberOf(memberOf(given, "http"), "credentials") ?? {};
  const token = text(credentials, "token") ?? text(response, "result");
  if (token !== undefined) return { authType: "http", http: { scheme, credentials: { token } } };
  const username = text(credentials, "username") ?? lacking("http.credentials.token");
  const password = text(credentials, "password") ?? lacking("http.credentials.password");
  return { authType: "http", http: { scheme, credentials: { username, password } } };
}

function readOAuth(given: JsonObject, request: JsonObject): AuthCredential {
  const expected = text(memberOf(memberOf(request, "exchangedAuthCredential"), "oauth2"), "state");
  const authResponseUri = text(given, "authResponseUri");
  if (authResponseUri !== undefined) {
    const state = URL.parse(authResponseUri)?.searchParams.get("state");
    if (state === undefined) throw refused("CREDENTIAL_MALFORMED", "oauth2.authResponseUri is not an address");
    if (expected === undefined || state !== expected) throw foreignState("oauth2.authResponseUri");
    return { authType: "oauth2", oauth2: { authResponseUri, state } };
  }
  const authCode = text(given, "authCode");
  if (authCode !== undefined) {
    const state = text(given, "state");
    if (expected === undefined || state !== expected) throw foreignState("oauth2.state");
    const redirectUri = text(given, "redirectUri");
    return { authType: "oauth2", oauth2: { authCode, state, redirectUri } };
  }
  const accessToken = text(given, "accessToken") ?? lacking("oauth2.authResponseUri");
  const { expiresAt } = given;
  return {
    authType: "oauth2",
    oauth2: { accessToken, expiresAt: typeof expiresAt === "number" ? expiresAt : undefined },
  };
}

function memberOf(value: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined;
  return isJsonObject(member) ? member : undefined;
}

function text(value: JsonObject | undefined, name: string): string | undefined {
  const member = value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof member !== "string" || member === "") return undefined;
  if (member.length > MAX_CHARACTERS)
    throw refused("CREDENTIAL_MALFORMED", `${name} has more than ${MAX_CHARACTERS} characters`);
  return member;
}

function lacking(member: string): never {
  throw refused("CREDENTIAL_MALFORMED", `exchangedAuthCredential.${member} is missing`);
}

function foreignState(member: string): PlatformError {
  return refused("CREDENTIAL_STATE_MISMATCH", `the state of ${member} is not that of the request`);
}

function refused(reason: ErrorReason, problem: string): PlatformError {
  return new PlatformError(
    reason,
    `The answer to adk_request_credential was refused: ${problem}. Nothing was stored.`,
    {
      details: { field: "newMessage" },
    },
  );
}
