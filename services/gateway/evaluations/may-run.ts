import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import { assertStateDelta } from "#kit/sessions/session-limits.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE } from "#shared/security/principal.ts";
import { sessionLimitsOf } from "#shared/stores/session-limits.ts";
import type { GatewayDeps } from "../deps.ts";
import { checkClientState } from "../requests/state-keys.ts";
import { refuseAppState } from "../sessions/app-state.ts";

/** Throws what keeps the case from being run at all: `USER_NOT_ALLOWED`, and the errors of state that clients may not write. */
export function assertMayRun({ config }: Pick<GatewayDeps, "config">, { sessionInput }: EvalCase): void {
  const principal = currentCallScope()?.principal;
  if (principal !== undefined && principal.userId === undefined && !principal.scopes.includes(EVERY_USER_SCOPE))
    throw new PlatformError("USER_NOT_ALLOWED", "The caller's credentials name no user for whom cases could be run.");
  checkClientState(sessionInput?.state);
  refuseAppState(config, sessionInput?.state);
  assertStateDelta(sessionInput?.state ?? {}, sessionLimitsOf(config));
}

/** The only user that the caller reaches; undefined if it reaches all. */
export function onlyUserOfCaller(): string | undefined {
  const principal = currentCallScope()?.principal;
  return principal?.scopes.includes(EVERY_USER_SCOPE) === true ? undefined : principal?.userId;
}
