import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "#kit/platform/clock.ts";
import type { Authenticator } from "../authenticator.ts";
import type { Caller } from "../caller.ts";
import { bearerToken, singleHeader } from "../credentials.ts";
import { invalidCredentials } from "../refusals.ts";
import { KEY_PREFIX, type ParsedKey, parseKey } from "./key-text.ts";
import type { KeyUses } from "./key-uses.ts";
import type { KnownKey } from "./known-key.ts";
import { type KnownKeys, OWN_ID } from "./known-keys.ts";

export interface ApiKeyAuthenticatorOptions {
  readonly keys: Pick<KnownKeys, "find">;
  readonly uses: Pick<KeyUses, "add">;
  readonly clock: Clock;
}

/** Reads API keys, from `Authorization: Bearer fl_…` or `X-API-Key`. */
export class ApiKeyAuthenticator implements Authenticator {
  readonly #options: ApiKeyAuthenticatorOptions;

  constructor(options: ApiKeyAuthenticatorOptions) {
    this.#options = options;
  }

  authenticate(request: IncomingMessage): Caller | undefined | Promise<Caller> {
    const text = keyOf(request);
    return text === undefined ? undefined : this.callerOf(text, request.socket.remoteAddress);
  }

  /** The caller with this key, which a client of this address sends. Throws `UNAUTHENTICATED` and `IDENTITY_UNAVAILABLE`. */
  callerOf(text: string, address: string | undefined): Caller | Promise<Caller> {
    const parsed = parseKey(text);
    if (parsed === undefined)
      throw invalidCredentials("The API key is incomplete or mistyped: keys look like fl_<id>_<secret>.");
    const found = this.#options.keys.find(parsed.id, address);
    // No promise for a known key: most requests have one.
    return found instanceof Promise ? found.then((key) => this.#check(parsed, key)) : this.#check(parsed, found);
  }

  /**
   * The caller of a session that began with the key of this id; undefined if there is none. Throws as `callerOf` does.
   */
  async callerOfId(keyId: string): Promise<Caller | undefined> {
    const key = await this.#options.keys.find(keyId, OWN_ID);
    return key === undefined ? undefined : this.#checkValid(key);
  }

  /** What is wrong with a key is reported only to those who have its secret. */
  #check({ digest }: ParsedKey, key: KnownKey | undefined): Caller {
    if (key === undefined || !timingSafeEqual(key.digest, digest))
      throw invalidCredentials("The API key is not valid: check it, or create another one.");
    return this.#checkValid(key);
  }

  #checkValid(key: KnownKey): Caller {
    const { clock, uses } = this.#options;
    if (key.isRevoked) throw invalidCredentials("The API key is revoked: create another one.");
    const { caller } = key;
    const now = clock.now();
    if (caller.expiresAtMs !== undefined && caller.expiresAtMs <= now)
      throw invalidCredentials("The API key has expired: create another one.");
    if (caller.keyId !== undefined) uses.add(caller.keyId, now);
    return caller;
  }
}

function keyOf(request: IncomingMessage): string | undefined {
  const header = singleHeader(request, "x-api-key");
  const token = bearerToken(request);
  const inToken = token?.startsWith(KEY_PREFIX) ? token : undefined;
  if (header !== undefined && inToken !== undefined && header !== inToken)
    throw invalidCredentials("X-API-Key and Authorization have different API keys: send one of them.");
  return header ?? inToken;
}
