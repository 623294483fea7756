import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Authority, NOBODY } from "./authority.ts";
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
}

/** Determines for whom a call is made, by what the call graph lets its caller show. */
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
        return NOBODY;
      case "principal":
        return { kind: "principal", principal: principals.verify(principal, self).principal };
      case "start":
        return this.#ofRunner(principal, "sessionId");
      case "cancel":
        return this.#ofRunner(principal, "runId");
      case "grant":
        return this.#ofRun(grant);
      case "grant-or-start":
        return grant === undefined ? this.#ofRunner(principal, "sessionId") : this.#ofRun(grant);
      case "grant-or-cancel":
        return grant === undefined ? this.#ofRunner(principal, "runId") : this.#ofRun(grant);
      case "run":
        if (grant !== undefined) return this.#ofRunOrNobody(grant);
        return principal === undefined ? NOBODY : this.#ofRunner(principal, "sessionId");
    }
  };

  /** A principal that a gateway has signed for runners. One without the limit would let them reach more than a run. */
  #ofRunner(text: string | undefined, limit: "sessionId" | "runId"): Authority {
    const { principal } = this.#options.principals.verify(text, "runner");
    if (principal[limit] === undefined) throw invalidToken();
    return { kind: "principal", principal };
  }

  /** A run may wait for longer than its grant lives; it is pending then, and any runner may begin it. */
  #ofRunOrNobody(text: string): Authority {
    try {
      return this.#ofRun(text);
    } catch (error) {
      if (error instanceof PlatformError && error.reason === "PRINCIPAL_EXPIRED") return NOBODY;
      throw error;
    }
  }

  #ofRun(text: string | undefined): Authority {
    const { self, grants } = this.#options;
    if (grants === undefined) throw invalidToken();
    const { principal, expiresAtMs } = grants.verify(text, self);
    return { kind: "grant", principal, expiresAtMs };
  }
}
