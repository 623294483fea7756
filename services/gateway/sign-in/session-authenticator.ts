import type { IncomingMessage } from "node:http";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import type { ManagedKeys } from "../identity/identity.ts";
import { invalidCredentials } from "../identity/refusals.ts";
import type { SignInProvider } from "../identity/sign-in-provider.ts";
import type { CookieSeal } from "./cookie-seal.ts";
import type { EndedSessionCache } from "./ended-session-cache.ts";
import type { PageAddress } from "./page-address.ts";
import type { PageCookies } from "./page-cookies.ts";
import { callerOfSession, openSession, type PageSession } from "./page-session.ts";

export interface SessionAuthenticatorOptions {
  readonly seal: CookieSeal;
  readonly cookies: PageCookies;
  readonly address: PageAddress;
  /** Absent if API keys are not accepted. */
  readonly apiKeys: Pick<ManagedKeys, "callerOfId"> | undefined;
  /** The identity providers with which pages sign in, by their URLs. */
  readonly providers: ReadonlyMap<string, Pick<SignInProvider, "rules" | "mayBeOf">>;
  readonly ends: Pick<EndedSessionCache, "has" | "knows">;
  readonly clock: Clock;
}

/** Reads the sealed cookie of a page, in requests of this server's own pages alone. */
export class SessionAuthenticator implements Authenticator {
  readonly #options: SessionAuthenticatorOptions;

  constructor(options: SessionAuthenticatorOptions) {
    this.#options = options;
  }

  authenticate(request: IncomingMessage): Caller | undefined | Promise<Caller> {
    if (request.headers.cookie === undefined) return undefined;
    const { cookies, address } = this.#options;
    const text = cookies.read(request, "session");
    if (text === undefined) return undefined;
    if (!address.isOwnPage(request))
      throw invalidCredentials("The cookie of a page is accepted from pages of this server only.");
    const session = this.#open(text);
    if (session === undefined) throw ended();
    const hasEnded = this.#options.ends.has(session);
    // No promise for a session that was looked up lately: most requests have one.
    return hasEnded instanceof Promise
      ? hasEnded.then((known) => this.#callerOf(session, known))
      : this.#callerOf(session, hasEnded);
  }

  /** The session of the request's cookie, if it is valid as far as this process knows. */
  sessionOf(request: IncomingMessage): PageSession | undefined {
    const text = this.#options.cookies.read(request, "session");
    return text === undefined ? undefined : this.#open(text);
  }

  /**
   * Whether the settings accept the session's identity provider, make the same caller of its claims as at the sign-in, and
   * let it name the session's tenant.
   */
  isAccepted({ issuer = "", rules, tenantId = DEFAULT_TENANT }: PageSession): boolean {
    const provider = this.#options.providers.get(issuer);
    return provider !== undefined && provider.rules === rules && provider.mayBeOf(tenantId);
  }

  #callerOf(session: PageSession, hasEnded: boolean): Caller | Promise<Caller> {
    if (hasEnded) throw ended();
    const { keyId } = session;
    if (keyId !== undefined) return this.#callerOfKey(session, keyId);
    if (!this.isAccepted(session)) throw ended();
    return callerOfSession(session);
  }

  #open(text: string): PageSession | undefined {
    const { seal, clock, ends } = this.#options;
    const session = openSession(seal, text);
    if (session === undefined || session.expiresAtMs <= clock.now() || ends.knows(session.id)) return undefined;
    return session;
  }

  /** The key decides, so that its revocation ends the session too. */
  async #callerOfKey({ expiresAtMs }: PageSession, keyId: string): Promise<Caller> {
    const caller = await this.#options.apiKeys?.callerOfId(keyId);
    if (caller === undefined) throw ended();
    return { ...caller, source: "session", expiresAtMs: Math.min(expiresAtMs, caller.expiresAtMs ?? expiresAtMs) };
  }
}

function ended(): Error {
  return invalidCredentials("The page's session has ended: sign in again.");
}
