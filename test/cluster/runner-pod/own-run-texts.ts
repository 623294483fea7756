import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { EVERY_USER_SCOPE, type Principal } from "#shared/security/principal.ts";
import type { OwnRun } from "./attack-order.ts";

const START = "/fairlead.runner.v1.RunnerService/StartRun";

/** What a gateway with that security sends to a runner that is to start the run, and to cancel it. */
export function signOwnRun(gateway: ServiceSecurity, { session, runId }: Pick<OwnRun, "session" | "runId">) {
  return {
    start: signedForRunners(gateway, startOf(session)),
    cancel: signedForRunners(gateway, { tenantId: session.tenantId, scopes: [EVERY_USER_SCOPE], runId }),
  };
}

export function startOf({ tenantId, appName, userId, id }: OwnRun["session"]): Principal {
  return { tenantId, appName, userId, sessionId: id, scopes: [] };
}

export function signedForRunners(gateway: ServiceSecurity, principal: Principal): string {
  return inCallScope({ principal }, () => gateway.peer("runner").facts?.(START)?.principal ?? "");
}
