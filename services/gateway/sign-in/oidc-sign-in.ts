import { readFileSync } from "node:fs";
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { Caller } from "../identity/caller.ts";
import { ClientBudget } from "../identity/client-budget.ts";
import { identityUnavailable, invalidCredentials } from "../identity/refusals.ts";
import type { SignInProvider } from "../identity/sign-in-provider.ts";
import { UsedFlows } from "./used-flows.ts";

/** What the browser keeps between the start of a sign-in and its end. */
export const FlowShape = Type.Object({
  issuer: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  /** The page after the sign-in. */
  next: Type.String(),
  /**
   * The session that the browser had. It is kept here because browsers send none of its cookies with the request that
   * comes from the identity provider's page.
   */
  earlier: Type.Optional(
    Type.Object({ id: Type.String(), tenantId: Type.Optional(Type.String()), endsAtMs: Type.Integer() }),
  ),
  expiresAtMs: Type.Integer(),
});

export type SignInFlow = Static<typeof FlowShape>;

/** Longest time that the user may take at the identity provider. */
export const FLOW_SECONDS = 600;
/** The provider's addresses and keys, and the client's secret, are read again after this time. */
const MAX_AGE_MS = 10 * 60_000;
const TIMEOUT_SECONDS = 5;
/** A provider that could not be reached is asked again after this time. */
const RETRY_SECONDS = 5;
/** Limits renewals. Pages renew a session every few minutes, but copies of its cookies could do so at any time. */
const RENEWALS_PER_SECOND = 50;
const MOST_SAVED_RENEWALS = 500;

/** A provider's description of a user whom it has signed in. */
export interface ProviderSession {
  readonly caller: Caller;
  /** Absent if the provider does not renew sign-ins. */
  readonly refreshToken: string | undefined;
}

export interface OidcSignInOptions {
  readonly provider: SignInProvider;
  readonly clock: Clock;
}

interface Discovered {
  readonly configuration: Promise<Configuration>;
  readonly at: number;
  /** A failure is kept for some time too, because anybody can begin sign-ins. */
  maxAgeMs: number;
}

/** The authorization code flow with PKCE, with one identity provider. */
export class OidcSignIn {
  readonly #options: OidcSignInOptions;
  readonly #flows: UsedFlows;
  readonly #renewals: ClientBudget;
  #discovered: Discovered | undefined;

  constructor(options: OidcSignInOptions) {
    const { clock } = options;
    this.#options = options;
    this.#flows = new UsedFlows(clock, FLOW_SECONDS);
    this.#renewals = new ClientBudget({ clock, perSecond: RENEWALS_PER_SECOND, mostSaved: MOST_SAVED_RENEWALS });
  }

  get provider(): SignInProvider {
    return this.#options.provider;
  }

  /** The address at the provider, and what `finish` needs. Throws `IDENTITY_UNAVAILABLE`. */
  async start(redirectUri: string, next: string): Promise<{ readonly url: URL; readonly flow: SignInFlow }> {
    const { provider, clock } = this.#options;
    const client = await load();
    const configuration = await this.#configuration();
    const flow = {
      issuer: provider.issuer,
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      next,
      expiresAtMs: clock.now() + FLOW_SECONDS * 1000,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: provider.client.scopes.join(" "),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    });
    return { url, flow };
  }

  /**
   * The user whom the provider has signed in. `redirect` is the redirect's URL, with its query; `address` that of the
   * client. A flow can be finished once.
   * Throws `UNAUTHENTICATED`, and `IDENTITY_UNAVAILABLE` for a flow that can still be finished.
   */
  async finish(
    redirect: URL,
    { state, nonce, verifier }: SignInFlow,
    address: string | undefined,
  ): Promise<ProviderSession> {
    const client = await load();
    const configuration = await this.#configuration();
    this.#flows.use(state, address);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, redirect, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return this.#sessionOf(tokens);
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      throw invalidCredentials("The identity provider has not signed you in. Try again.", error);
    }
  }

  /**
   * The user as the provider describes it now, for a client of this address. Throws `UNAUTHENTICATED` if the provider has ended the sign-in, or does not
   * describe the user again, and `IDENTITY_UNAVAILABLE`.
   */
  async renew(refreshToken: string, address: string | undefined): Promise<ProviderSession> {
    const client = await load();
    const configuration = await this.#configuration();
    if (!this.#renewals.take(address))
      throw identityUnavailable("Too many sessions are being renewed. Try again soon.", RETRY_SECONDS);
    try {
      const { caller, refreshToken: next } = this.#sessionOf(
        await client.refreshTokenGrant(configuration, refreshToken),
      );
      // A provider that sends no new one accepts the old one again (RFC 6749, 6).
      return { caller, refreshToken: next ?? refreshToken };
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      // Other refusals are of the client or of this moment, and not of the token (RFC 6749, 5.2).
      if (error instanceof client.ResponseBodyError && error.error === "invalid_grant")
        throw invalidCredentials("The identity provider has ended the sign-in.", error);
      throw identityUnavailable("The identity provider cannot renew the session now. Try again soon.", 5, error);
    }
  }

  /** Makes the provider refuse the token from now on, if it can. Throws what fails. */
  async revoke(refreshToken: string): Promise<void> {
    const client = await load();
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().revocation_endpoint === undefined) return;
    await client.tokenRevocation(configuration, refreshToken, { token_type_hint: "refresh_token" });
  }

  #sessionOf(tokens: TokenEndpointResponse & TokenEndpointResponseHelpers): ProviderSession {
    const claims = tokens.claims();
    if (claims === undefined) throw invalidCredentials("The identity provider has sent no id token.");
    // The claims of a token are JSON.
    const granted = withGrantedScope(claims as JsonObject, tokens.scope);
    const caller = this.#options.provider.callerOf(granted, claims.exp * 1000);
    return { caller, refreshToken: tokens.refresh_token };
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#options.clock.monotonic();
    if (this.#discovered === undefined || now - this.#discovered.at >= this.#discovered.maxAgeMs)
      this.#discovered = { configuration: this.#discover(), at: now, maxAgeMs: MAX_AGE_MS };
    const discovered = this.#discovered;
    try {
      return await discovered.configuration;
    } catch (error) {
      discovered.maxAgeMs = RETRY_SECONDS * 1000;
      throw identityUnavailable("The identity provider cannot be reached. Try again soon.", RETRY_SECONDS, error);
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, client: registered } = this.#options.provider;
    const client = await load();
    const { id, secretFile } = registered;
    const secret = secretFile === "" ? undefined : readFileSync(secretFile, "utf8").trim();
    return client.discovery(
      new URL(issuer),
      id,
      undefined,
      secret === undefined ? client.None() : client.ClientSecretPost(secret),
      {
        timeout: TIMEOUT_SECONDS,
        // Issuers without https are accepted on loopback only.
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.startsWith("http:") ? [client.allowInsecureRequests] : []),
        ],
      },
    );
  }
}

/** Loaded only where pages sign in. */
function load(): Promise<typeof import("openid-client")> {
  return import("openid-client");
}

/** Providers name granted scopes in the answer, and not in the id token (RFC 6749, 5.1). */
function withGrantedScope(claims: JsonObject, scope: string | undefined): JsonObject {
  const hasOwn = ["scope", "scp", "permissions"].some((name) => Object.hasOwn(claims, name));
  return scope === undefined || hasOwn ? claims : { ...claims, scope };
}
