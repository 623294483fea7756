import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Authenticator } from "../authenticator.ts";
import type { Caller } from "../caller.ts";
import { bearerToken } from "../credentials.ts";
import { KEY_PREFIX } from "../keys/key-text.ts";
import { invalidCredentials } from "../refusals.ts";
import { readToken } from "./token-form.ts";
import type { TokenVerifier } from "./token-verifier.ts";

/** A token is checked again after this time, against the keys that the issuer then publishes. */
const MAX_REMEMBERED_MS = 60_000;
const MAX_TOKENS = 10_000;

interface Remembered {
  readonly caller: Caller;
  /** In time of the monotonic clock. */
  readonly until: number;
}

export interface OidcAuthenticatorOptions {
  /** By issuer, as tokens name it. */
  readonly verifiers: ReadonlyMap<string, Pick<TokenVerifier, "verify" | "keysEndAt">>;
  readonly clock: Clock;
}

/** Reads access tokens of identity providers, from `Authorization: Bearer …`. */
export class OidcAuthenticator implements Authenticator {
  readonly #options: OidcAuthenticatorOptions;
  /** By the digest of the token, so that no token stays in memory. */
  readonly #remembered = new BoundedCache<Remembered>(MAX_TOKENS);

  constructor(options: OidcAuthenticatorOptions) {
    this.#options = options;
  }

  authenticate(request: IncomingMessage): Caller | undefined | Promise<Caller> {
    const token = bearerToken(request);
    if (token === undefined || token.startsWith(KEY_PREFIX)) return undefined;
    const digest = hash("sha256", token, "base64");
    const remembered = this.#remembered.get(digest);
    if (remembered !== undefined && this.#options.clock.monotonic() < remembered.until) return remembered.caller;
    return this.#verify(token, digest);
  }

  async #verify(token: string, digest: string): Promise<Caller> {
    const { verifiers, clock } = this.#options;
    const unchecked = readToken(token);
    const { iss } = unchecked.claims;
    const verifier = typeof iss === "string" ? verifiers.get(iss) : undefined;
    if (verifier === undefined) throw invalidCredentials("The token's issuer (iss) is not accepted here.");
    const caller = await verifier.verify(token, unchecked);
    const validMs = (caller.expiresAtMs ?? 0) - clock.now();
    const until = Math.min(clock.monotonic() + Math.min(MAX_REMEMBERED_MS, validMs), verifier.keysEndAt);
    this.#remembered.set(digest, { caller, until });
    return caller;
  }
}
