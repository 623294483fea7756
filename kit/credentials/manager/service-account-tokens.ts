import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { AuthCredential } from "../auth-credential.ts";
import type { CredentialScope } from "../credential-scope.ts";

type ServiceAccount = NonNullable<Extract<AuthCredential, { authType: "serviceAccount" }>["serviceAccount"]>;
type Token = { readonly value: string; readonly expiresAt: number };

// The address that a key names is not used: whoever writes the key would choose where the server sends a request.
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME_SECONDS = 3600;
const RENEWED_BEFORE_MS = 60_000;

/** The tokens of a service account. They are the app's own and not the user's: one serves all runs of the process. */
export class ServiceAccountTokens {
  readonly #account: ServiceAccount | undefined;
  #token: Token | undefined;

  constructor(credential: AuthCredential | undefined) {
    this.#account = credential?.authType === "serviceAccount" ? credential.serviceAccount : undefined;
  }

  /** The next call gets another token: a server has refused this one. */
  forget(): void {
    this.#token = undefined;
  }

  /**
   * An access token, or an id token for the account's audience, as a bearer token. Throws `CREDENTIAL_UNUSABLE` and
   * `CREDENTIAL_EXCHANGE_FAILED`.
   */
  async token(scope: Pick<CredentialScope, "clock" | "outbound" | "signal">): Promise<AuthCredential> {
    const account = this.#account ?? unusable("serviceAccount is missing");
    if (account.useIdToken === true && (account.audience ?? "") === "")
      unusable("serviceAccount.audience is missing, and an id token is for one");
    if (this.#token === undefined || this.#token.expiresAt - RENEWED_BEFORE_MS <= scope.clock.now())
      this.#token =
        account.useDefaultCredential === true ? await ownToken(account, scope) : await keyToken(account, scope);
    return { authType: "http", http: { scheme: "bearer", credentials: { token: this.#token.value } } };
  }
}

/**
 * A token of the machine's own account. The library asks the machine's metadata server, which no other code can reach.
 */
async function ownToken(
  { useIdToken, audience = "", scopes = [CLOUD_PLATFORM] }: ServiceAccount,
  { clock }: Pick<CredentialScope, "clock">,
): Promise<Token> {
  const { GoogleAuth } = await importOptional({
    name: "google-auth-library",
    user: "credentials of the machine's own service account",
    load: () => import("google-auth-library"),
  });
  const auth = new GoogleAuth({ scopes: [...scopes] });
  try {
    const value =
      useIdToken === true
        ? await (await auth.getIdTokenClient(audience)).idTokenProvider.fetchIdToken(audience)
        : await auth.getAccessToken();
    // The library renews its tokens by itself.
    if (typeof value === "string") return { value, expiresAt: clock.now() + 2 * RENEWED_BEFORE_MS };
  } catch {
    // Reported below: the library's errors may quote paths and answers.
  }
  throw new PlatformError("CREDENTIAL_EXCHANGE_FAILED", "No token was obtained: the machine has no service account.");
}

/** The exchange of RFC 7523. */
async function keyToken(
  { serviceAccountCredential: key, scopes = [CLOUD_PLATFORM], useIdToken, audience }: ServiceAccount,
  { clock, outbound, signal }: Pick<CredentialScope, "clock" | "outbound" | "signal">,
): Promise<Token> {
  if (key === undefined) unusable("serviceAccount.serviceAccountCredential is missing");
  const issuedAt = Math.floor(clock.now() / 1000);
  const claims = {
    ...{ iss: key.client_email, aud: TOKEN_URL, iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS },
    ...(useIdToken === true ? { target_audience: audience } : { scope: scopes.join(" ") }),
  };
  const header = { alg: "RS256", typ: "JWT", kid: key.private_key_id };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const assertion = `${signed}.${sign("sha256", Buffer.from(signed), readKey(key.private_key)).toString("base64url")}`;
  const response = await outbound.fetch(TOKEN_URL, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
    redirect: "manual",
    signal,
  });
  const answer = parsed(await response.text());
  const members = isJsonObject(answer) ? answer : {};
  const value = members[useIdToken === true ? "id_token" : "access_token"];
  const seconds = members["expires_in"];
  if (response.ok && typeof value === "string")
    return { value, expiresAt: clock.now() + (typeof seconds === "number" ? seconds : LIFETIME_SECONDS) * 1000 };
  const { error } = members;
  const said = typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? error : "no reason";
  throw new PlatformError(
    "CREDENTIAL_EXCHANGE_FAILED",
    `No token was obtained for the service account: HTTP status ${response.status}, ${said}.`,
  );
}

function readKey(pem: unknown): KeyObject {
  try {
    if (typeof pem === "string") return createPrivateKey(pem);
  } catch {
    // Reported below, without the cause, which may quote the key.
  }
  return unusable("serviceAccountCredential.private_key is not a private key in the form PEM");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the caller as an answer without a token.
    return undefined;
  }
}

function unusable(problem: string): never {
  throw new PlatformError("CREDENTIAL_UNUSABLE", `The credential of the tool cannot be used: ${problem}.`);
}
