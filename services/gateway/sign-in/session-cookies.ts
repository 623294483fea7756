import type { IncomingMessage } from "node:http";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Caller } from "../identity/caller.ts";
import { invalidCredentials } from "../identity/refusals.ts";
import type { SignInProvider } from "../identity/sign-in-provider.ts";
import type { CookieSeal } from "./cookie-seal.ts";
import type { PageCookies } from "./page-cookies.ts";
import { openRefresh, type PageRefresh, sealRefresh } from "./page-refresh.ts";
import { type PageSession, sealSession } from "./page-session.ts";

export interface SessionCookiesOptions {
  readonly seal: CookieSeal;
  readonly cookies: PageCookies;
  /** How long a session lasts at most, renewals included. */
  readonly longestMs: number;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** How the session began. */
export interface SessionGrounds {
  /** The identity provider that has signed the caller in. */
  readonly provider?: Pick<SignInProvider, "issuer" | "rules">;
  /** Present if the provider can renew the session. */
  readonly refreshToken?: string | undefined;
  /** The session that this one continues. */
  readonly earlier?: PageRefresh;
}

/** The cookies of a page's session: one with who it is, and one to renew it, where an identity provider can. */
export class SessionCookies {
  readonly #options: SessionCookiesOptions;

  constructor(options: SessionCookiesOptions) {
    this.#options = options;
  }

  /** The headers that begin or renew a session. Throws `UNAUTHENTICATED` if the caller has too many groups. */
  begin(request: IncomingMessage, caller: Caller, grounds: SessionGrounds = {}): readonly string[] {
    const { clock, ids, longestMs } = this.#options;
    const endsAtMs = grounds.earlier?.endsAtMs ?? clock.now() + longestMs;
    const expiresAtMs = Math.min(endsAtMs, caller.expiresAtMs ?? endsAtMs);
    const sessionId = grounds.earlier?.sessionId ?? ids.next();
    const session = this.#session(request, caller, { id: sessionId, expiresAtMs, provider: grounds.provider });
    const { provider, refreshToken: token } = grounds;
    // A cookie that renews an earlier session must not stay: it would replace this one.
    if (provider === undefined) return [session, ...this.endRenewal(request)];
    // A request that comes from the provider's page does not have it.
    if (token === undefined || expiresAtMs >= endsAtMs) return [session, this.#deleteRenewal(request)];
    const { tenantId, subject } = caller;
    const renewal = { sessionId, issuer: provider.issuer, token, ...inTenant(tenantId), subject, endsAtMs };
    return [session, ...this.#renewal(request, renewal)];
  }

  /** What the request's browser keeps to renew its session; undefined if there is nothing, or it has expired. */
  renewalOf(request: IncomingMessage): PageRefresh | undefined {
    const { seal, cookies, clock } = this.#options;
    const refresh = openRefresh(seal, cookies.read(request, "refresh") ?? "");
    return refresh === undefined || refresh.endsAtMs <= clock.now() ? undefined : refresh;
  }

  /** The headers that delete both cookies. */
  end(request: IncomingMessage): readonly string[] {
    const { cookies } = this.#options;
    return [cookies.write(request, "", { purpose: "session", maxAgeSeconds: 0 }), ...this.endRenewal(request)];
  }

  /** The header that deletes what renews the session, if the browser has it. */
  endRenewal(request: IncomingMessage): readonly string[] {
    return this.#options.cookies.read(request, "refresh") === undefined ? [] : [this.#deleteRenewal(request)];
  }

  #deleteRenewal(request: IncomingMessage): string {
    return this.#options.cookies.write(request, "", { purpose: "refresh", maxAgeSeconds: 0 });
  }

  #session(
    request: IncomingMessage,
    { tenantId, subject, userId, keyId, groups, scopes }: Caller,
    {
      id,
      expiresAtMs,
      provider,
    }: Pick<PageSession, "id" | "expiresAtMs"> & { readonly provider: SessionGrounds["provider"] | undefined },
  ): string {
    const { seal, cookies } = this.#options;
    // What a key allows is read from its store, not from the cookie.
    const own = keyId === undefined ? { groups: [...groups], scopes: [...scopes] } : { groups: [], scopes: [], keyId };
    const sealed = sealSession(seal, {
      ...{ id, subject, expiresAtMs, ...own },
      ...inTenant(tenantId),
      userId,
      ...(provider !== undefined && { issuer: provider.issuer, rules: provider.rules }),
    });
    if (sealed === undefined)
      throw invalidCredentials(
        "You are in too many groups for a cookie: let the provider send those of this server only.",
      );
    return cookies.write(request, sealed, { purpose: "session", maxAgeSeconds: this.#secondsUntil(expiresAtMs) });
  }

  #renewal(request: IncomingMessage, refresh: PageRefresh): readonly string[] {
    const { seal, cookies } = this.#options;
    const sealed = sealRefresh(seal, refresh);
    if (sealed === undefined) return this.endRenewal(request);
    const maxAgeSeconds = this.#secondsUntil(refresh.endsAtMs);
    return [cookies.write(request, sealed, { purpose: "refresh", maxAgeSeconds })];
  }

  #secondsUntil(timeMs: number): number {
    return Math.max(0, Math.floor((timeMs - this.#options.clock.now()) / 1000));
  }
}
