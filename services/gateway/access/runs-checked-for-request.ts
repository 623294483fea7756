import type { RunRecord } from "#kit/sessions/run-record.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { mayReach } from "#shared/security/principal.ts";
import { callingPrincipal } from "./guarded-port.ts";

/** The runs that each request has been found to own, so that their streams can be read without reading the record again. */
export class RunsCheckedForRequest {
  readonly #ofScopes = new WeakMap<object, Set<string>>();

  /** Whether the request may reach the run, which is remembered until the request ends. */
  admit({ runId, session }: Pick<RunRecord, "runId" | "session">): boolean {
    const scope = currentCallScope();
    if (!mayReach(callingPrincipal(), session)) {
      scope?.onForeign?.();
      return false;
    }
    if (scope === undefined) return true;
    const runs = this.#ofScopes.get(scope);
    if (runs === undefined) this.#ofScopes.set(scope, new Set([runId]));
    else runs.add(runId);
    return true;
  }

  has(runId: string): boolean {
    const scope = currentCallScope();
    return scope !== undefined && this.#ofScopes.get(scope)?.has(runId) === true;
  }
}
