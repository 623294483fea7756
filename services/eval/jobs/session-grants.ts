import type { EvaluationGrant, RemoteEvaluationPermits } from "#adapters/grpc/remote-evaluation-permits.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { JobCredentials } from "./worker-deps.ts";

export interface SessionGrantsOptions {
  /** The job's permit. */
  readonly permit: string;
  readonly permits: Pick<RemoteEvaluationPermits, "grant">;
  readonly clock: Clock;
}

/** A grant with less time left is replaced before a call. */
const LEFT_MS = 120_000;

/** The grants of the sessions of one job. */
export class SessionGrants implements JobCredentials {
  readonly #options: SessionGrantsOptions;
  readonly #grants = new Map<string, Promise<EvaluationGrant>>();

  constructor(options: SessionGrantsOptions) {
    this.#options = options;
  }

  async within<Result>(session: SessionKey, work: () => Promise<Result>): Promise<Result> {
    const { text } = await this.#current(session);
    return inCallScope({ credentials: { principal: text } }, work);
  }

  async #current(session: SessionKey): Promise<EvaluationGrant> {
    const { clock, permits, permit } = this.#options;
    const known = await this.#grants.get(session.id);
    if (known !== undefined && known.expiresAtMs - clock.now() > LEFT_MS) return known;
    const grant = inCallScope({ credentials: { grant: permit } }, () => permits.grant(session));
    this.#grants.set(session.id, grant);
    try {
      return await grant;
    } catch (error) {
      this.#grants.delete(session.id);
      throw error;
    }
  }
}
