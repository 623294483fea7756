import { Remembered } from "#kit/cache/remembered.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { ServiceName } from "./call-graph.ts";
import { type NamedKey, parsePrivateKeys } from "./key-files.ts";
import type { Principal } from "./principal.ts";
import type { PrincipalClaims } from "./principal-verifier.ts";
import { MAX_LIFE_S, signToken } from "./signed-tokens.ts";
import { WatchedFile } from "./watched-file.ts";

const SETTING = "PRINCIPAL_PRIVATE_KEY_FILE";

export interface PrincipalSignerOptions {
  /** PEM private keys; the first signs. */
  readonly keyFile: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
}

/**
 * Signs principals, which only gateways do. A principal is signed once in half of its life, for each service that it is
 * for, so that services find most of them among those that they have checked before.
 */
export class PrincipalSigner {
  readonly #keys: WatchedFile<readonly NamedKey[]>;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #signed = new Remembered<string>();
  /** The keys that the remembered texts belong to. */
  #current: readonly NamedKey[] = [];

  /** Throws `CONFIGURATION`. */
  constructor({ keyFile, clock, ids, logger }: PrincipalSignerOptions) {
    this.#clock = clock;
    this.#ids = ids;
    const parse = (text: string): readonly NamedKey[] => parsePrivateKeys(text, SETTING);
    this.#keys = new WatchedFile({ path: keyFile, setting: SETTING, parse, clock, logger });
  }

  sign(principal: Principal, service: ServiceName): string {
    const key = this.#key();
    const now = this.#clock.now();
    const { tenantId, appName, userId, scopes, sessionId, runId } = principal;
    // Identifiers have no control characters.
    const name = [
      service,
      tenantId,
      ...[appName, userId, sessionId, runId].map((id) => id ?? "\u0001"),
      ...scopes,
    ].join("\0");
    const known = this.#signed.get(name, now);
    if (known !== undefined) return known;
    const iat = Math.floor(now / 1000);
    const claims: PrincipalClaims = {
      tenant: tenantId,
      app: appName,
      user: userId,
      session: sessionId,
      run: runId,
      scopes: scopes.length > 0 ? scopes : undefined,
      aud: [service],
      iat,
      exp: iat + MAX_LIFE_S,
      jti: this.#ids.next(),
    };
    const text = signToken("principal", claims, key);
    this.#signed.put(name, text, now + (MAX_LIFE_S / 2) * 1000);
    return text;
  }

  #key(): NamedKey {
    const keys = this.#keys.content;
    if (keys !== this.#current) {
      this.#signed.clear();
      this.#current = keys;
    }
    const [first] = keys;
    if (first === undefined) throw new TypeError("A file of private keys has at least one.");
    return first;
  }
}
