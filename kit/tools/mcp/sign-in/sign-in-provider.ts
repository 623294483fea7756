import { createHash } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialScope } from "#kit/credentials/credential-scope.ts";
import { beginSignIn, endSignIn, newState } from "#kit/credentials/oauth/consent-secret.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { McpSignInOptions } from "./sign-in-options.ts";

type Store = Pick<CredentialScope, "owner" | "service" | "clock" | "known">;

/** A sign-in that is being completed. */
interface Callback {
  readonly state: string;
  readonly redirectUri: string;
  readonly issuer: string | undefined;
}

/** Where a user signs in. */
export interface SignInPage {
  readonly url: URL;
  readonly state: string;
  readonly issuer: string | undefined;
}

/**
 * The tokens of one user for one server, in the interface of the protocol's SDK: it finds the authorization server,
 * checks issuer and resource, and registers the client; this class stores the results in the credential store.
 */
export class SignInProvider implements OAuthClientProvider {
  declare readonly clientMetadataUrl?: string;
  readonly #options: McpSignInOptions;
  readonly #credentialKey: string;
  readonly #callback: Callback | undefined;
  #store: Store;
  #cached: { readonly tokens: StoredOAuthTokens | undefined } | undefined;
  #issuer: string | undefined;
  #page: SignInPage | undefined;

  constructor(options: McpSignInOptions, store: Store, place: { readonly key: string; readonly callback?: Callback }) {
    this.#options = options;
    this.#store = store;
    this.#credentialKey = place.key;
    this.#callback = place.callback;
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl;
  }

  /** The page to which the user was sent last. */
  get page(): SignInPage | undefined {
    return this.#page;
  }

  /** Each run reads the store once: the user may have signed in on another runner, or signed out. */
  useFor(store: Store): void {
    if (store.known !== this.#store.known) this.forget();
    this.#store = store;
  }

  /** The next request reads the store. */
  forget(): void {
    this.#cached = undefined;
  }

  /** Whether there are tokens. */
  async isSignedIn(): Promise<boolean> {
    return (await this.tokens()) !== undefined;
  }

  get redirectUrl(): string {
    return this.#callback?.redirectUri ?? this.#options.redirectUri;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName = "Fairlead", clientSecret, scopes } = this.#options;
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_basic",
      scope: scopes?.join(" "),
    };
  }

  state(): string {
    return newState();
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    this.#issuer = context?.issuer;
    const { clientId, clientSecret } = this.#options;
    if (clientId !== undefined)
      return {
        client_id: clientId,
        client_secret: clientSecret,
        issuer: context?.issuer,
      };
    const stored = await this.#load(this.#clientKey(context?.issuer));
    const registered = stored !== undefined && "oauth2" in stored ? stored.oauth2 : undefined;
    if (registered?.clientId === undefined) return undefined;
    return {
      client_id: registered.clientId,
      client_secret: registered.clientSecret,
      issuer: context?.issuer,
    };
  }

  async saveClientInformation(
    { client_id: clientId, client_secret: clientSecret }: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    const oauth2 = { clientId, clientSecret };
    await this.#save(this.#clientKey(context?.issuer), { authType: "oauth2", oauth2 });
  }

  /** Reads the store again if a context is given, which means a refresh: another run may have stored newer tokens. */
  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    if (context === undefined && this.#cached !== undefined) return this.#cached.tokens;
    const tokens = toTokens(await this.#load(this.#credentialKey), this.#store.clock.now());
    this.#cached = { tokens };
    return tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const { clock } = this.#store;
    const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, scope } = tokens;
    const expiresAt = tokens.expires_in === undefined ? undefined : Math.floor(clock.now() / 1000) + tokens.expires_in;
    await this.#save(this.#credentialKey, {
      authType: "oauth2",
      resourceRef: tokens.issuer,
      oauth2: {
        accessToken,
        refreshToken,
        idToken,
        scope,
        expiresAt,
      },
    });
    this.#cached = { tokens };
  }

  /** The verifier is derived from the state, so that sign-ins in progress need no entries in the store. */
  async redirectToAuthorization(url: URL): Promise<void> {
    const state = url.searchParams.get("state") ?? newState();
    const { codeVerifier } = await beginSignIn(this.#store, state);
    const page = new URL(url);
    page.searchParams.set("state", state);
    page.searchParams.set("code_challenge", createHash("sha256").update(codeVerifier).digest("base64url"));
    page.searchParams.set("code_challenge_method", "S256");
    this.#page = { url: page, state, issuer: this.#issuer };
  }

  /** The code is sent to the authorization server of the request, even if the server names another one meanwhile. */
  discoveryState(): OAuthDiscoveryState | undefined {
    const issuer = this.#callback?.issuer;
    return issuer === undefined ? undefined : { authorizationServerUrl: issuer };
  }

  saveDiscoveryState(): void {
    // Nothing to store: the request to the user contains the issuer.
  }

  saveCodeVerifier(): void {
    // Nothing to store: the verifier is derived from the state.
  }

  async codeVerifier(): Promise<string> {
    const secrets = await endSignIn(this.#store, this.#callback?.state ?? "");
    if (secrets !== undefined) return secrets.codeVerifier;
    throw new PlatformError(
      "CREDENTIAL_EXCHANGE_FAILED",
      "No token was obtained: the sign-in is unknown or has expired. Sign in again.",
    );
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const { service, owner } = this.#store;
    if (scope === "all" || scope === "tokens") {
      await service.deleteCredential(owner, this.#credentialKey);
      this.forget();
    }
    if (scope === "all" || scope === "client") await service.deleteCredential(owner, this.#clientKey(this.#issuer));
  }

  async #load(key: string): Promise<AuthCredential | undefined> {
    return (await this.#store.service.loadCredential(this.#store.owner, key))?.credential;
  }

  async #save(key: string, credential: AuthCredential): Promise<void> {
    await this.#store.service.saveCredential(this.#store.owner, key, credential);
  }

  /** A registration is for one authorization server. */
  #clientKey(issuer = ""): string {
    return `${this.#credentialKey}_client_${createHash("sha256").update(issuer).digest("hex").slice(0, 16)}`;
  }
}

function toTokens(credential: AuthCredential | undefined, now: number): StoredOAuthTokens | undefined {
  const oauth2 = credential !== undefined && "oauth2" in credential ? credential.oauth2 : undefined;
  if (oauth2?.accessToken === undefined) return undefined;
  const { accessToken, refreshToken, idToken, scope, expiresAt } = oauth2;
  return {
    ...{ access_token: accessToken, token_type: "Bearer" },
    refresh_token: refreshToken,
    id_token: idToken,
    scope,
    expires_in: expiresAt === undefined ? undefined : Math.max(0, expiresAt - Math.floor(now / 1000)),
    issuer: credential?.resourceRef,
  };
}
