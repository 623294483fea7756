import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { NamedKey } from "#shared/security/key-files.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import type { PrincipalClaims } from "#shared/security/principal-verifier.ts";
import { MAX_LIFE_S, MAX_PERMIT_LIFE_S, signToken } from "#shared/security/signed-tokens.ts";

export interface EvaluationIssuerOptions {
  /** The private keys; the first signs. */
  readonly keys: () => readonly NamedKey[];
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** The sessions that an evaluation may have. */
export interface PermittedSessions {
  readonly tenantId: string;
  readonly appName: string;
  /** All users if absent. */
  readonly userId?: string | undefined;
  /** The start of the sessions' ids. */
  readonly prefix: string;
  /** When the permit expires, in milliseconds since the epoch. */
  readonly deadlineMs: number;
}

interface GrantedSession {
  readonly tenantId: string;
  readonly appName: string;
  readonly userId: string;
  readonly id: string;
}

/** Signs the permits of evaluations and their grants, which only the session service does. */
export class EvaluationIssuer {
  readonly #options: EvaluationIssuerOptions;

  constructor(options: EvaluationIssuerOptions) {
    this.#options = options;
  }

  /** The permit is valid for a day at most. */
  permit({ tenantId, appName, userId, prefix, deadlineMs }: PermittedSessions): string {
    const iat = this.#now();
    const exp = Math.min(Math.floor(deadlineMs / 1000), iat + MAX_PERMIT_LIFE_S);
    const owner = userId === undefined ? { scopes: [EVERY_USER_SCOPE] } : { user: userId };
    return this.#sign("permit", { tenant: tenantId, app: appName, ...owner, prefix, aud: ["session"], iat, exp });
  }

  /**
   * The grant for one session: to create it, to start, read and cancel runs in it, and to read it. It never outlives the
   * permit.
   */
  grant(session: GrantedSession, permitExpiresAtMs: number): { readonly text: string; readonly expiresAtMs: number } {
    const iat = this.#now();
    const exp = Math.min(iat + MAX_LIFE_S, Math.floor(permitExpiresAtMs / 1000));
    const { tenantId: tenant, appName: app, userId: user, id } = session;
    const aud = ["session", "runner", "artifact"] as const;
    const text = this.#sign("evaluation", { tenant, app, user, session: id, aud, iat, exp });
    return { text, expiresAtMs: exp * 1000 };
  }

  #now(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  #sign(kind: "permit" | "evaluation", claims: Omit<PrincipalClaims, "jti">): string {
    const { keys, ids } = this.#options;
    const [key] = keys();
    if (key === undefined) throw new TypeError("A file of private keys has at least one.");
    const content: PrincipalClaims = { ...claims, jti: ids.next() };
    return signToken(kind, content, key);
  }
}
