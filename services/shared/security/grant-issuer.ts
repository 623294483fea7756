import { tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { NamedKey } from "./key-files.ts";
import { type PrincipalClaims, type PrincipalVerifier, verifiedOf } from "./principal-verifier.ts";
import { signToken } from "./signed-tokens.ts";

/**
 * The life of a grant, in seconds. Each append and each renewal of the lease replaces one that has less than half of it
 * left, so that a run keeps its grant as long as it keeps its lease.
 */
const LIFE_S = 120;

export interface GrantIssuerOptions {
  /** The private keys; the first signs. */
  readonly keys: () => readonly NamedKey[];
  readonly verifier: PrincipalVerifier;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

type RunClaimNames = Pick<RunRecord, "runId" | "session">;

/** Signs the grants of runs, which only the session service does. */
export class GrantIssuer {
  readonly #options: GrantIssuerOptions;

  constructor(options: GrantIssuerOptions) {
    this.#options = options;
  }

  /**
   * The grant of a run that has its session's lease: for the session, for its user's files and memory in the app, and
   * for the run's own record.
   */
  ofStarted(run: RunClaimNames): string {
    return this.#sign({ ...namesOf(run), session: run.session.id, aud: ["session", "artifact", "memory"] });
  }

  /** The grant of a run that waits for its session: for the run's own record and nothing else. */
  ofQueued(run: RunClaimNames): string {
    return this.#sign({ ...namesOf(run), aud: ["session"] });
  }

  /** Whether a grant should be replaced that expires then, in milliseconds since the epoch. */
  isStale(expiresAtMs: number): boolean {
    return expiresAtMs - this.#options.clock.now() < (LIFE_S / 2) * 1000;
  }

  #sign(of: Omit<PrincipalClaims, "iat" | "exp" | "jti">): string {
    const { keys, verifier, clock, ids } = this.#options;
    const [key] = keys();
    if (key === undefined) throw new TypeError("A file of private keys has at least one.");
    const iat = Math.floor(clock.now() / 1000);
    const claims = { ...of, iat, exp: iat + LIFE_S, jti: ids.next() };
    const text = signToken("grant", claims, key);
    verifier.add(text, verifiedOf(claims));
    return text;
  }
}

function namesOf({ runId, session }: RunClaimNames): Pick<PrincipalClaims, "tenant" | "app" | "user" | "run"> {
  return { tenant: tenantOf(session), app: session.appName, user: session.userId, run: runId };
}
