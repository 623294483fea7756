import { createHash } from "node:crypto";
import { canonicalJson, isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { AuthConfig } from "./auth-config.ts";
import { redactedCredential } from "./redacted-auth-config.ts";

const DIGEST_LENGTH = 16;

/** Members that change from one consent to the next. */
const VOLATILE: ReadonlySet<string> = new Set(["authUri", "state", "nonce", "expiresAt", "expiresIn"]);

/**
 * The name under which the user's credential is kept: the config's own, or one made of scheme and client. It does not
 * depend on tokens and secrets, because clients see the name and secrets are renewed.
 */
export function credentialKeyOf({ authScheme, rawAuthCredential, credentialKey }: AuthConfig): string {
  if (credentialKey !== undefined && credentialKey !== "") return credentialKey;
  // Schemes are plain JSON data. Members that are undefined count as absent.
  const scheme = `${authScheme.type}_${digestOf(JSON.parse(JSON.stringify(authScheme)))}`;
  if (rawAuthCredential === undefined) return `adk_${scheme}`;
  return `adk_${scheme}_${rawAuthCredential.authType}_${digestOf(withoutVolatile(redactedCredential(rawAuthCredential)))}`;
}

function digestOf(value: JsonObject): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, DIGEST_LENGTH);
}

function withoutVolatile(credential: JsonObject): JsonObject {
  const { oauth2 } = credential;
  if (!isJsonObject(oauth2)) return credential;
  return { ...credential, oauth2: Object.fromEntries(Object.entries(oauth2).filter(([name]) => !VOLATILE.has(name))) };
}

/**
 * The name under which the user's answer to a question is kept until the call runs that asked it. No
 * credential has a name with this prefix.
 */
export function answerKeyOf(questionId: string): string {
  return `adk_answer_${questionId}`;
}
