import type { IncomingMessage } from "node:http";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import type { EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import { InvalidConfigError } from "#shared/config/load-config.ts";
import type { Caller } from "../identity/caller.ts";
import type { ManagedKeys } from "../identity/identity.ts";
import { invalidCredentials } from "../identity/refusals.ts";
import type { SignInProvider } from "../identity/sign-in-provider.ts";
import { openCookieKeys } from "./cookie-keys.ts";
import { CookieSeal } from "./cookie-seal.ts";
import { EndedSessionCache } from "./ended-session-cache.ts";
import { FLOW_SECONDS, FlowShape, OidcSignIn, type SignInFlow } from "./oidc-sign-in.ts";
import { PageAddress } from "./page-address.ts";
import { PageCookies } from "./page-cookies.ts";
import type { PageRefresh } from "./page-refresh.ts";
import { callerOfSession, type PageSession } from "./page-session.ts";
import { SessionAuthenticator } from "./session-authenticator.ts";
import { SessionCookies } from "./session-cookies.ts";
import type { SignInConfig } from "./sign-in-settings.ts";

export interface SignInOptions {
  readonly config: SignInConfig;
  readonly apiKeys: ManagedKeys | undefined;
  readonly providers: readonly SignInProvider[];
  /** The store of ended sessions that all processes share; absent if there is one process. */
  readonly endedSessions: EndedSessions | undefined;
  /** The path below which browsers reach the routes, without a slash at its end. */
  readonly publicPath: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
}

/** Whose session it is, for records. */
type SessionOwner = Pick<PageSession, "tenantId" | "subject">;

/** A result for the browser: the cookies to set, and the page that follows. */
export interface SignedIn {
  readonly caller: Caller;
  readonly cookies: readonly string[];
  readonly next: string;
}

export interface Renewed {
  /** Absent if the session cannot be renewed. */
  readonly caller?: Caller;
  /** Whose session it was, if the provider now names another user or tenant. */
  readonly refused?: SessionOwner;
  readonly cookies: readonly string[];
}

/** A session is renewed when less than this is left. Pages ask a little later, and other pages of the browser too. */
const RENEW_BEFORE_MS = 75_000;

/** Signs pages in and out. */
export class SignIn {
  readonly authenticator: SessionAuthenticator;
  readonly address: PageAddress;
  readonly providers: readonly SignInProvider[];
  readonly #options: SignInOptions;
  readonly #seal: CookieSeal;
  readonly #cookies: PageCookies;
  readonly #sessions: SessionCookies;
  readonly #ends: EndedSessionCache;
  readonly #oidc: ReadonlyMap<string, OidcSignIn>;

  constructor(options: SignInOptions) {
    const { config, apiKeys, providers, publicPath, clock } = options;
    const problems: string[] = [];
    this.#options = options;
    this.providers = providers;
    this.address = new PageAddress({ publicUrl: config.PUBLIC_URL, path: publicPath }, problems);
    if (problems.length > 0) throw new InvalidConfigError(problems);
    this.#cookies = new PageCookies(this.address);
    this.#seal = new CookieSeal(openCookieKeys(config.SESSION_COOKIE_KEY_FILE, options));
    this.#sessions = new SessionCookies({
      ...{ seal: this.#seal, cookies: this.#cookies, clock, ids: options.ids },
      longestMs: config.SESSION_COOKIE_HOURS * 60 * 60_000,
    });
    this.#oidc = new Map(providers.map((provider) => [provider.issuer, new OidcSignIn({ provider, clock })]));
    this.#ends = new EndedSessionCache({ shared: options.endedSessions, clock, logger: options.logger });
    this.authenticator = new SessionAuthenticator({
      seal: this.#seal,
      cookies: this.#cookies,
      address: this.address,
      apiKeys,
      providers: new Map(providers.map((provider) => [provider.issuer, provider])),
      ends: this.#ends,
      clock,
    });
  }

  get acceptsKeys(): boolean {
    return this.#options.apiKeys !== undefined;
  }

  /** Throws `UNAUTHENTICATED` for a wrong key, and `IDENTITY_UNAVAILABLE`. */
  async withKey(request: IncomingMessage, key: string): Promise<Omit<SignedIn, "next">> {
    const caller = await this.#options.apiKeys?.callerOf(key.trim(), request.socket.remoteAddress);
    if (caller === undefined) throw invalidCredentials("This server accepts no API keys.");
    await this.#endEarlier(request);
    return { caller, cookies: this.#sessions.begin(request, caller) };
  }

  /** Begins a sign-in with the provider; undefined if there is none of this index. Throws `IDENTITY_UNAVAILABLE`. */
  async start(
    request: IncomingMessage,
    index: number,
    next: string,
  ): Promise<{ readonly url: string; readonly cookie: string } | undefined> {
    const oidc = this.#oidc.get(this.providers[index]?.issuer ?? "");
    if (oidc === undefined) return undefined;
    const { url, flow } = await oidc.start(this.#callback(request), next);
    const earlier = this.#earlierSession(request);
    const sealed = this.#seal.seal("flow", { ...flow, ...(earlier !== undefined && { earlier }) });
    return { url: url.href, cookie: this.#flowCookie(request, sealed, FLOW_SECONDS) };
  }

  /** Ends a sign-in with the query of the provider's redirect. Throws `UNAUTHENTICATED` and `IDENTITY_UNAVAILABLE`. */
  async finish(request: IncomingMessage, query: string): Promise<SignedIn> {
    const read = readValue(FlowShape, this.#seal.open("flow", this.#cookies.read(request, "flow") ?? ""));
    if (!read.ok || read.value.expiresAtMs <= this.#options.clock.now())
      throw invalidCredentials("The sign-in took too long, or was begun in another browser. Begin again.");
    const oidc = this.#oidc.get(read.value.issuer);
    if (oidc === undefined)
      throw invalidCredentials(
        "The identity provider of this sign-in was removed from the server's settings. Begin again.",
      );
    const { provider } = oidc;
    const redirect = new URL(`${this.#callback(request)}${query}`);
    const { caller, refreshToken } = await oidc.finish(redirect, read.value, request.socket.remoteAddress);
    const { earlier } = read.value;
    await Promise.all([earlier && this.#ends.add(earlier, earlier.endsAtMs), this.#endEarlier(request)]);
    const cookies = [...this.#sessions.begin(request, caller, { provider, refreshToken }), this.endFlow(request)];
    return { caller, cookies, next: read.value.next };
  }

  /**
   * Renews the request's session by its identity provider, if less than `RENEW_BEFORE_MS` of it is left. No caller if
   * nothing renews it. Throws `IDENTITY_UNAVAILABLE`.
   */
  async renew(request: IncomingMessage): Promise<Renewed> {
    const { clock } = this.#options;
    const earlier = this.#sessions.renewalOf(request);
    const oidc = earlier && this.#oidc.get(earlier.issuer);
    if (earlier === undefined || oidc === undefined || (await this.#hasEnded(earlier)))
      return { cookies: this.#sessions.endRenewal(request) };
    const current = this.authenticator.sessionOf(request);
    if (current !== undefined && current.id !== earlier.sessionId)
      return { cookies: this.#sessions.endRenewal(request) };
    const isLong = current !== undefined && current.expiresAtMs > clock.now() + RENEW_BEFORE_MS;
    if (isLong && this.authenticator.isAccepted(current)) return { caller: callerOfSession(current), cookies: [] };
    try {
      const { provider } = oidc;
      const { caller, refreshToken } = await oidc.renew(earlier.token, request.socket.remoteAddress);
      if (await this.#hasEnded(earlier)) {
        // Another request has signed out or in meanwhile: it has set the cookies, and revoked the earlier token only.
        this.#revoke(provider.issuer, refreshToken);
        return { cookies: [] };
      }
      if (caller.subject !== earlier.subject || caller.tenantId !== tenantOf(earlier))
        return { refused: earlier, cookies: this.#sessions.endRenewal(request) };
      const cookies = this.#sessions.begin(request, caller, { provider, refreshToken, earlier });
      return { caller: { ...caller, source: "session" }, cookies };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason !== "UNAUTHENTICATED") throw error;
      return { cookies: this.#sessions.endRenewal(request) };
    }
  }

  /** The header that deletes the cookie of a sign-in in progress. */
  endFlow(request: IncomingMessage): string {
    return this.#flowCookie(request, "", 0);
  }

  /** Ends the request's session, also at its identity provider if that can be done. */
  async end(request: IncomingMessage): Promise<{
    readonly cookies: readonly string[];
    readonly caller: SessionOwner | undefined;
  }> {
    return { cookies: this.#sessions.end(request), caller: await this.#endEarlier(request) };
  }

  /**
   * Ends the session that the browser had, so that a renewal of it that is in progress cannot replace what follows. Returns
   * whose it was.
   */
  async #endEarlier(request: IncomingMessage): Promise<SessionOwner | undefined> {
    const renewal = this.#sessions.renewalOf(request);
    const session = this.authenticator.sessionOf(request);
    if (renewal !== undefined) this.#revoke(renewal.issuer, renewal.token);
    // If the session can be renewed, its end is that of the renewal, which is later than that of its cookie.
    const renewable = renewal && { id: renewal.sessionId, tenantId: renewal.tenantId };
    await Promise.all([
      renewal && renewable && this.#ends.add(renewable, renewal.endsAtMs),
      session && session.id !== renewable?.id && this.#ends.add(session, session.expiresAtMs),
    ]);
    return session ?? renewal;
  }

  /** The browser's session, with the end of what renews it: that is later. */
  #earlierSession(request: IncomingMessage): SignInFlow["earlier"] {
    const renewal = this.#sessions.renewalOf(request);
    if (renewal !== undefined) {
      const { sessionId: id, tenantId, endsAtMs } = renewal;
      return { id, ...inTenant(tenantId), endsAtMs };
    }
    const session = this.authenticator.sessionOf(request);
    return session && { id: session.id, ...inTenant(session.tenantId), endsAtMs: session.expiresAtMs };
  }

  /** Whether the session that the browser wants to renew was ended, also at another gateway a moment ago. */
  #hasEnded({ sessionId: id, tenantId }: PageRefresh): boolean | Promise<boolean> {
    return this.#ends.knows(id) || this.#ends.check({ id, tenantId });
  }

  /** Not awaited: the browser does not wait for the provider. */
  #revoke(issuer: string, token: string | undefined): void {
    if (token === undefined) return;
    this.#oidc
      .get(issuer)
      ?.revoke(token)
      .catch((error: unknown) =>
        this.#options.logger.warn({ error, issuer }, "a refresh token was not revoked at its identity provider"),
      );
  }

  #callback(request: IncomingMessage): string {
    return `${this.address.originOf(request)}${this.address.path}/auth/callback`;
  }

  #flowCookie(request: IncomingMessage, value: string, maxAgeSeconds: number): string {
    return this.#cookies.write(request, value, { purpose: "flow", maxAgeSeconds });
  }
}
