import { Remembered } from "#kit/cache/remembered.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { ServiceName } from "./call-graph.ts";
import type { NamedKey } from "./key-files.ts";
import type { Principal } from "./principal.ts";
import {
  invalidToken,
  keysByHeader,
  MAX_LIFE_S,
  MAX_PERMIT_LIFE_S,
  type TokenKind,
  type TokenTimes,
  verifyToken,
} from "./signed-tokens.ts";

/** The content of a signed principal, and of a grant, which always has a run. */
export interface PrincipalClaims extends TokenTimes {
  readonly tenant: string;
  readonly app?: string;
  readonly user?: string;
  readonly session?: string;
  readonly run?: string;
  readonly scopes?: readonly string[];
  /** In permits of evaluations: the start of the ids of the only sessions. */
  readonly prefix?: string;
  /** The services that accept it. */
  readonly aud: readonly ServiceName[];
  /** Distinguishes tokens of the same content. */
  readonly jti: string;
}

export interface Verified {
  readonly principal: Principal;
  readonly audience: readonly ServiceName[];
  /** When it expires, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

export interface PrincipalVerifierOptions {
  readonly kind: TokenKind;
  /** The accepted public keys; the same array as long as they do not change. */
  readonly keys: () => readonly NamedKey[];
  readonly clock: Clock;
}

/** Checks signed principals or grants. Each is checked once; a removed key ends the validity of what it has signed. */
export class PrincipalVerifier {
  readonly #options: PrincipalVerifierOptions;
  readonly #verified = new Remembered<Verified>();
  #current: readonly NamedKey[] = [];
  #byHeader: ReadonlyMap<string, NamedKey> = new Map();

  constructor(options: PrincipalVerifierOptions) {
    this.#options = options;
  }

  /** Throws `PRINCIPAL_INVALID`, also for one that is for other services, and `PRINCIPAL_EXPIRED`. */
  verify(text: string | undefined, audience: ServiceName): Verified {
    if (text === undefined || text === "") throw invalidToken();
    this.#readKeys();
    const found = this.#verified.get(text, this.#options.clock.now()) ?? this.#check(text);
    if (!found.audience.includes(audience)) throw invalidToken();
    return found;
  }

  /** Whether the text has the header of this kind and of an accepted key. Says nothing about its signature. */
  isOfKind(text: string): boolean {
    this.#readKeys();
    return this.#byHeader.has(text.split(".", 1)[0] ?? "");
  }

  /** Remembers a text that this process has signed itself. */
  add(text: string, verified: Verified): void {
    this.#readKeys();
    this.#verified.put(text, verified, verified.expiresAtMs);
  }

  #check(text: string): Verified {
    // Of the type that signers of this kind write.
    const { kind, clock } = this.#options;
    const maxLifeS = kind === "permit" ? MAX_PERMIT_LIFE_S : MAX_LIFE_S;
    const claims = verifyToken(text, this.#byHeader, { clock, maxLifeS }) as PrincipalClaims;
    const verified = verifiedOf(claims, kind);
    this.#verified.put(text, verified, verified.expiresAtMs);
    return verified;
  }

  #readKeys(): void {
    const keys = this.#options.keys();
    if (keys === this.#current) return;
    this.#verified.clear();
    this.#current = keys;
    this.#byHeader = keysByHeader(this.#options.kind, keys);
  }
}

export function verifiedOf(
  { tenant, app, user, session, run, scopes = [], prefix, aud, exp }: PrincipalClaims,
  kind?: TokenKind,
): Verified {
  if (typeof tenant !== "string" || tenant === "" || !Array.isArray(aud) || !Array.isArray(scopes))
    throw invalidToken();
  const principal = {
    tenantId: tenant,
    appName: app,
    userId: user,
    sessionId: session,
    runId: run,
    sessionPrefix: prefix,
    sessionOnly: kind === "evaluation" ? true : undefined,
    scopes,
  };
  return { principal, audience: aud, expiresAtMs: exp * 1000 };
}
