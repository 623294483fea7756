import { createHash } from "node:crypto";
import { canonicalJson } from "#kit/platform/canonical-json.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { AuthConfig } from "./auth-config.ts";

const DIGEST_LENGTH = 16;

/** What changes from one consent to the next. */
const VOLATILE: ReadonlySet<string> = new Set([
  ...["authUri", "state", "nonce", "authResponseUri", "authCode", "accessToken", "refreshToken", "idToken"],
  ...["expiresAt", "expiresIn", "codeVerifier"],
]);

/**
 * The name under which the user's credential is kept: the config's own, or one made of scheme and client. Equal configs
 * have the same, whatever tokens they hold.
 */
export function credentialKeyOf({ authScheme, rawAuthCredential, credentialKey }: AuthConfig): string {
  if (credentialKey !== undefined && credentialKey !== "") return credentialKey;
  const scheme = `${authScheme.type}_${digestOf(authScheme)}`;
  if (rawAuthCredential === undefined) return `adk_${scheme}`;
  return `adk_${scheme}_${rawAuthCredential.authType}_${digestOf(rawAuthCredential)}`;
}

function digestOf(value: object): string {
  // Schemes and credentials are plain JSON data. Members that are undefined count as absent.
  const plain: JsonObject = JSON.parse(JSON.stringify(value));
  const oauth2 = plain["oauth2"];
  const stable = isJsonObject(oauth2) ? { ...plain, oauth2: withoutVolatile(oauth2) } : plain;
  return createHash("sha256").update(canonicalJson(stable)).digest("hex").slice(0, DIGEST_LENGTH);
}

function withoutVolatile(oauth2: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(oauth2).filter(([name]) => !VOLATILE.has(name)));
}
