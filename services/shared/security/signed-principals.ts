import { createHmac, timingSafeEqual } from "node:crypto";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Principal } from "./principal.ts";
import { linesOf, WatchedFile } from "./watched-file.ts";

/** Short, because a principal cannot be revoked; long enough that most calls find it in the cache. */
const LIFETIME_MS = 300_000;
const MAX_REMEMBERED = 4096;
const MIN_KEY_LENGTH = 32;
const VERSION = "v1";

export interface SignedPrincipalsOptions {
  /** Its first line signs; all lines are accepted, so that a key can be replaced while calls are in progress. */
  readonly keyFile: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Remembered<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/**
 * Signs principals and checks them: their JSON and an HMAC-SHA256 with a key that all services share. A principal is
 * signed once in half its lifetime, so that services find most of them among those that they have checked before.
 */
export class SignedPrincipals {
  readonly #keys: WatchedFile<readonly string[]>;
  readonly #clock: Clock;
  readonly #signed = new Map<string, Remembered<string>>();
  readonly #verified = new Map<string, Remembered<Principal>>();
  /** The keys that the cached principals belong to. */
  #current: readonly string[] = [];

  constructor({ keyFile, clock, logger }: SignedPrincipalsOptions) {
    this.#clock = clock;
    this.#keys = new WatchedFile({ path: keyFile, setting: "PRINCIPAL_KEY_FILE", parse: parseKeys, clock, logger });
  }

  sign(principal: Principal): string {
    const [key = ""] = this.#readKeys();
    const now = this.#clock.now();
    // Identifiers have no control characters.
    const name = `${principal.tenantId}\0${principal.appName ?? "\u0001"}\0${principal.userId ?? "\u0001"}\0${principal.scopes.join(" ")}`;
    const known = this.#signed.get(name);
    if (known !== undefined && known.untilMs > now) return known.value;
    const { tenantId, appName, userId, scopes } = principal;
    const claims: Claims = { tenant: tenantId, app: appName, user: userId, scopes, expires: now + LIFETIME_MS };
    const payload = `${VERSION}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
    const value = `${payload}.${macOf(payload, key).toString("base64url")}`;
    remember(this.#signed, name, { value, untilMs: now + LIFETIME_MS / 2 });
    return value;
  }

  /** Throws `PRINCIPAL_INVALID` and `PRINCIPAL_EXPIRED`. */
  verify(text: string): Principal {
    const keys = this.#readKeys();
    const now = this.#clock.now();
    const known = this.#verified.get(text);
    const found = known ?? this.#check(text, keys);
    if (found.untilMs <= now) {
      this.#verified.delete(text);
      throw new PlatformError("PRINCIPAL_EXPIRED", "The call's principal has expired: sign it again for each call.");
    }
    if (known === undefined) remember(this.#verified, text, found);
    return found.value;
  }

  #check(text: string, keys: readonly string[]): Remembered<Principal> {
    const [version, body = "", mac = "", more] = text.split(".");
    const given = Buffer.from(mac, "base64url");
    const payload = `${VERSION}.${body}`;
    const isSigned = keys.some((key) => {
      const expected = macOf(payload, key);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (version !== VERSION || more !== undefined || !isSigned) throw invalid();
    // A holder of the key has written it, with the type that `sign` writes.
    const { tenant, app, user, scopes, expires } = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
    const principal = {
      tenantId: tenant,
      ...(app !== undefined && { appName: app }),
      ...(user !== undefined && { userId: user }),
      scopes,
    };
    return { value: principal, untilMs: expires };
  }

  #readKeys(): readonly string[] {
    const keys = this.#keys.content;
    if (keys !== this.#current) {
      // Principals that a removed key has signed must not stay valid.
      this.#signed.clear();
      this.#verified.clear();
      this.#current = keys;
    }
    return keys;
  }
}

interface Claims {
  readonly tenant: string;
  readonly app: string | undefined;
  readonly user: string | undefined;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

export function invalid(): PlatformError {
  return new PlatformError(
    "PRINCIPAL_INVALID",
    "The call has no principal that is signed with a key accepted here: set the same PRINCIPAL_KEY_FILE for all services.",
  );
}

function macOf(payload: string, key: string): Buffer {
  return createHmac("sha256", key).update(payload).digest();
}

/** Bounded: the oldest entry is removed. */
function remember<Value>(map: Map<string, Remembered<Value>>, name: string, entry: Remembered<Value>): void {
  map.delete(name);
  map.set(name, entry);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function parseKeys(text: string): readonly string[] {
  const keys = linesOf(text);
  if (keys.length > 0 && keys.every(({ length }) => length >= MIN_KEY_LENGTH)) return keys;
  throw new PlatformError(
    "CONFIGURATION",
    `PRINCIPAL_KEY_FILE: a key needs at least ${MIN_KEY_LENGTH} characters. Make one with: openssl rand -base64 32`,
  );
}
