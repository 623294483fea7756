import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Authority, NO_USER } from "./authority.ts";
import { credentialOf, type ServiceName } from "./call-graph.ts";
import type { PrincipalVerifier } from "./principal-verifier.ts";
import { invalidToken } from "./signed-tokens.ts";

/** What is known of a call before its messages are read. */
export interface ArrivedCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly caller: ServiceName | undefined;
  /** The signed texts that it carries; absent or empty for none. */
  readonly principal: string | undefined;
  readonly grant: string | undefined;
}

export interface CallAdmissionOptions {
  /** The called service. */
  readonly self: ServiceName;
  readonly principals: PrincipalVerifier;
  /** Absent in services that no runner calls for its runs. */
  readonly grants: PrincipalVerifier | undefined;
  /** Grants for the session service alone, in it. */
  readonly sessionGrants?: PrincipalVerifier | undefined;
  /** Grants of evaluations; absent in services that are not called for evaluations. */
  readonly evaluations?: PrincipalVerifier | undefined;
  /** Permits of evaluations, in the session service. */
  readonly permits?: PrincipalVerifier | undefined;
}

/** Determines for whom a call is made, from the credential that the call graph demands of its caller. */
export class CallAdmission {
  readonly #options: CallAdmissionOptions;

  constructor(options: CallAdmissionOptions) {
    this.#options = options;
  }

  /** Throws `PRINCIPAL_INVALID` and `PRINCIPAL_EXPIRED`, and `CALLER_NOT_ALLOWED` for a call that is not declared. */
  readonly admit = ({ path, caller, ...texts }: ArrivedCall): Authority => {
    const { self, principals } = this.#options;
    const principal = texts.principal || undefined;
    const grant = texts.grant || undefined;
    const credential = caller === undefined ? undefined : credentialOf(path, caller);
    switch (credential) {
      case undefined:
        throw new PlatformError("CALLER_NOT_ALLOWED", `The caller may not call ${path.slice(1)}.`);
      case "nothing":
      case "each":
      case "upkeep":
        return NO_USER;
      case "principal":
        return { kind: "principal", principal: principals.verify(principal, self).principal };
      case "start":
        return this.#ofRunner(principal, "sessionId");
      case "cancel":
        return this.#ofRunner(principal, "runId");
      case "permit":
        return this.#permitted(grant);
      case "evaluation":
        return this.#ofEvaluation(principal, self);
      case "grant":
        return this.#ofRun(grant);
      case "grant-or-start":
        return grant === undefined ? this.#ofRunner(principal, "sessionId") : this.#ofRun(grant);
      case "grant-or-cancel":
        return grant === undefined ? this.#ofRunner(principal, "runId") : this.#ofRun(grant);
      case "run":
        if (grant !== undefined) return this.#ofRunOrNoUser(grant);
        return principal === undefined ? NO_USER : this.#ofRunner(principal, "sessionId");
    }
  };

  #permitted(text: string | undefined): Authority {
    const { self, permits } = this.#options;
    if (permits === undefined) throw invalidToken();
    const { principal, expiresAtMs } = permits.verify(text, self);
    if (principal.sessionPrefix === undefined) throw invalidToken();
    return { kind: "permit", principal, expiresAtMs };
  }

  /** A grant of an evaluation is limited to one of its sessions. */
  #ofEvaluation(text: string | undefined, audience: ServiceName): Authority {
    const { evaluations } = this.#options;
    if (evaluations === undefined) throw invalidToken();
    const { principal } = evaluations.verify(text, audience);
    if (principal.sessionId === undefined) throw invalidToken();
    return { kind: "principal", principal };
  }

  /**
   * A principal that a gateway has signed for runners, or the grant of an evaluation that the evaluation service has
   * shown to the runner. A principal without the limit would let runners reach more than a run.
   */
  #ofRunner(text: string | undefined, limit: "sessionId" | "runId"): Authority {
    if (text !== undefined && this.#options.evaluations?.isOfKind(text) === true)
      return this.#ofEvaluation(text, "runner");
    const { principal } = this.#options.principals.verify(text, "runner");
    if (principal[limit] === undefined) throw invalidToken();
    return { kind: "principal", principal };
  }

  /** A run may wait for longer than its grant lives; it is pending then, and any runner may begin it. */
  #ofRunOrNoUser(text: string): Authority {
    try {
      return this.#ofRun(text);
    } catch (error) {
      if (error instanceof PlatformError && error.reason === "PRINCIPAL_EXPIRED") return NO_USER;
      throw error;
    }
  }

  #ofRun(text: string | undefined): Authority {
    const { self, grants, sessionGrants } = this.#options;
    const isOfSession = text !== undefined && sessionGrants?.isOfKind(text) === true;
    const verifier = isOfSession ? sessionGrants : grants;
    if (verifier === undefined) throw invalidToken();
    const { principal, expiresAtMs } = verifier.verify(text, self);
    return { kind: "grant", principal, expiresAtMs, for: isOfSession ? "session" : "services" };
  }
}
