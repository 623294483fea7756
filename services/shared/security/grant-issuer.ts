import { tenantOf } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { Authority, GrantFor } from "./authority.ts";
import type { ServiceName } from "./call-graph.ts";
import type { NamedKey } from "./key-files.ts";
import { type PrincipalClaims, type PrincipalVerifier, verifiedOf } from "./principal-verifier.ts";
import { invalidToken, signToken } from "./signed-tokens.ts";

/**
 * The life of a grant, in seconds. Each append and each renewal of the lease replaces one that has less than half of it
 * left, so that a run keeps its grant as long as it keeps its lease.
 */
const LIFE_S = 120;

export interface GrantIssuerOptions {
  /** The private keys; the first signs. */
  readonly keys: () => readonly NamedKey[];
  /** The secret keys of session grants, in the order of `keys`. */
  readonly sessionKeys: () => readonly NamedKey[];
  readonly verifier: PrincipalVerifier;
  /** Of session grants. */
  readonly sessionVerifier: PrincipalVerifier;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

const AUDIENCES = {
  services: ["session", "artifact", "memory"],
  session: ["session"],
} as const satisfies Record<GrantFor, readonly ServiceName[]>;

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
  ofStarted(run: RunClaimNames, grantFor: GrantFor): string {
    return this.#sign({ ...namesOf(run), session: run.session.id, aud: AUDIENCES[grantFor] }, grantFor);
  }

  /** The grant of a run that waits for its session: for the run's own record and nothing else. */
  ofQueued(run: RunClaimNames, grantFor: GrantFor): string {
    return this.#sign({ ...namesOf(run), aud: AUDIENCES.session }, grantFor);
  }

  /**
   * The grant for all services of a run that has shown a grant, of the same content, which expires when that one does.
   * Throws `PRINCIPAL_INVALID` for a run that waits, and for anything but the grant of a run.
   */
  ofShown(authority: Authority): string {
    if (authority.kind !== "grant") throw invalidToken();
    const { tenantId, appName, userId, sessionId, runId } = authority.principal;
    if (appName === undefined || userId === undefined || sessionId === undefined || runId === undefined)
      throw invalidToken();
    const names = { tenant: tenantId, app: appName, user: userId, session: sessionId, run: runId };
    return this.#sign({ ...names, aud: AUDIENCES.services }, "services", authority.expiresAtMs / 1000);
  }

  /** Whether a grant should be replaced that expires then, in milliseconds since the epoch. */
  isStale(expiresAtMs: number): boolean {
    return expiresAtMs - this.#options.clock.now() < (LIFE_S / 2) * 1000;
  }

  #sign(of: Omit<PrincipalClaims, "iat" | "exp" | "jti">, grantFor: GrantFor, until?: number): string {
    const { keys, sessionKeys, verifier, sessionVerifier, clock, ids } = this.#options;
    const isOfSession = grantFor === "session";
    const [key] = isOfSession ? sessionKeys() : keys();
    if (key === undefined) throw new TypeError("A file of private keys has at least one.");
    const iat = Math.floor(clock.now() / 1000);
    const claims = { ...of, iat, exp: until ?? iat + LIFE_S, jti: ids.next() };
    const text = signToken(isOfSession ? "session-grant" : "grant", claims, key);
    (isOfSession ? sessionVerifier : verifier).add(text, verifiedOf(claims));
    return text;
  }
}

function namesOf({ runId, session }: RunClaimNames): Pick<PrincipalClaims, "tenant" | "app" | "user" | "run"> {
  return { tenant: tenantOf(session), app: session.appName, user: session.userId, run: runId };
}
