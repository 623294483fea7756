import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** The members that are kept: true keeps the value, an object keeps the members that it names. */
interface Kept {
  readonly [member: string]: true | Kept;
}

/** Longer values are not part of a config that a person has written. */
const MAX_VALUE_CHARACTERS = 8192;

const FLOW: Kept = { authorizationUrl: true, tokenUrl: true, refreshUrl: true, scopes: true };

const SCHEME: Kept = {
  ...{ type: true, in: true, name: true, scheme: true, bearerFormat: true, description: true },
  ...{ openIdConnectUrl: true, issuer_url: true, authorization_endpoint: true, token_endpoint: true },
  ...{ userinfo_endpoint: true, revocation_endpoint: true, token_endpoint_auth_methods_supported: true },
  ...{ grant_types_supported: true, scopes: true },
  flows: { implicit: FLOW, authorizationCode: FLOW, clientCredentials: FLOW, password: FLOW },
};

const CREDENTIAL: Kept = {
  ...{ authType: true, resourceRef: true },
  oauth2: {
    ...{ clientId: true, authUri: true, state: true, nonce: true, redirectUri: true, audience: true },
    ...{ expiresAt: true, expiresIn: true, codeChallengeMethod: true, tokenEndpointAuthMethod: true },
  },
  http: { scheme: true, credentials: { username: true } },
  serviceAccount: { useDefaultCredential: true, scopes: true, useIdToken: true, audience: true },
};

const CONFIG: Kept = {
  ...{ authScheme: SCHEME, rawAuthCredential: CREDENTIAL, exchangedAuthCredential: CREDENTIAL },
  credentialKey: true,
};

/**
 * The config as it may be stored and shown: with the members that hold no secret, and no others. Secrets of an unknown
 * name are left out too.
 */
export function redactedAuthConfig(config: object): JsonObject {
  // A config is JSON data. Members that are undefined count as absent.
  return kept(JSON.parse(JSON.stringify(config)), CONFIG);
}

/** The credential without its secrets. */
export function redactedCredential(credential: object): JsonObject {
  // A credential is JSON data, too.
  return kept(JSON.parse(JSON.stringify(credential)), CREDENTIAL);
}

function kept(value: JsonObject, members: Kept): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, rule] of Object.entries(members)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined || member === null) continue;
    if (rule !== true) {
      if (isJsonObject(member)) result[name] = kept(member, rule);
    } else if (JSON.stringify(member).length <= MAX_VALUE_CHARACTERS) result[name] = member;
  }
  return result;
}
