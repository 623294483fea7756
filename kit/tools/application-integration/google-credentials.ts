import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { isJsonObject } from "#kit/platform/json.ts";

/** Credentials for calls of Google's APIs. Tokens are renewed before they expire. */
export interface GoogleCredentials {
  /** The headers of one request. Throws `INTEGRATION_DENIED` if no token can be obtained. */
  getRequestHeaders(): Promise<Readonly<Record<string, string>>>;
  /** The next request gets another token: Google has refused this one before its time. */
  forget?(): void;
}

/** Options of `getGoogleCredentials`. */
export interface GoogleCredentialsOptions {
  /** Makes the requests for tokens; the global `fetch` if absent. */
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

// The address that a key names is not used: whoever writes the key would choose where the server sends a request.
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME_SECONDS = 3600;
const RENEWED_BEFORE_MS = 60_000;

interface ServiceAccountKey {
  readonly email: string;
  readonly key: KeyObject;
  readonly keyId: string | undefined;
}

interface Token {
  readonly value: string;
  readonly expiresAt: number;
}

/**
 * Credentials of a service account, from the JSON of its key. Other types of credentials are refused: they name files,
 * commands and addresses that would be opened. Throws `INVALID_FIELD`; errors never contain the JSON.
 */
export function getGoogleCredentials(
  serviceAccountJson: string,
  options: GoogleCredentialsOptions = {},
): GoogleCredentials {
  const { fetch: send = fetch, clock = systemClock } = options;
  const account = readKey(serviceAccountJson);
  let token: Token | undefined;
  /** Requests at the same time wait for one token. */
  let pending: Promise<Token> | undefined;
  const request = (): Promise<Token> => {
    pending ??= requestToken(account, send, clock.now()).finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    getRequestHeaders: async () => {
      if (token === undefined || token.expiresAt - RENEWED_BEFORE_MS <= clock.now()) token = await request();
      return { authorization: `Bearer ${token.value}` };
    },
    forget: () => {
      token = undefined;
    },
  };
}

function readKey(json: string): ServiceAccountKey {
  const value = parsed(json);
  if (!isJsonObject(value)) throw refused("must be the JSON of a service account's key");
  const { type, client_email: email, private_key: key, private_key_id: keyId } = value;
  if (type !== "service_account")
    throw refused('must have the type "service_account"; other credentials are not accepted');
  if (typeof email !== "string" || email === "") throw refused("must have a client_email");
  return { email, key: readPrivateKey(key), keyId: typeof keyId === "string" ? keyId : undefined };
}

function readPrivateKey(pem: unknown): KeyObject {
  try {
    if (typeof pem === "string") return createPrivateKey(pem);
  } catch {
    // Reported below, without the cause, which may quote the key.
  }
  throw refused("must have a private_key in the form PEM");
}

/** The exchange of RFC 7523. */
async function requestToken({ email, key, keyId }: ServiceAccountKey, send: typeof fetch, now: number): Promise<Token> {
  const issuedAt = Math.floor(now / 1000);
  const claims = { iss: email, scope: SCOPE, aud: TOKEN_URL, iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS };
  const header = { alg: "RS256", typ: "JWT", kid: keyId };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const assertion = `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
  const body = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await send(TOKEN_URL, { method: "POST", headers, body: body.toString() });
  const answer = parsed(await response.text());
  const { access_token: value, expires_in: seconds, error } = isJsonObject(answer) ? answer : {};
  if (response.ok && typeof value === "string" && typeof seconds === "number")
    return { value, expiresAt: now + seconds * 1000 };
  const said = typeof error === "string" ? error.slice(0, 200) : "no reason";
  throw new PlatformError(
    "INTEGRATION_DENIED",
    `Google gave no token for the service account: HTTP status ${response.status}, ${said}.`,
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Reported by the caller: the error of the parser would quote the key.
    return undefined;
  }
}

function refused(problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `The credentials cannot be used: \`serviceAccountJson\` ${problem}.`, {
    details: { field: "serviceAccountJson" },
  });
}
