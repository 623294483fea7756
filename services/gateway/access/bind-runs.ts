import { tenantOf } from "#kit/names/tenant.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { type CallScope, currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { assertReach, type Principal } from "#shared/security/principal.ts";

/**
 * Runners over gRPC, for a gateway that signs principals. A runner executes agents and tools, so the principal that it
 * gets reaches no more than the run: the principal of a start is limited to the run's session, that of a cancellation
 * to the run's record.
 */
export function bindRuns<Runner extends RunnerService>(runner: Runner): RunnerService {
  return {
    startRun: async (request) => {
      const { session } = request;
      const { appName, userId, id } = session;
      return inBounds(
        (principal) => {
          assertReach(principal, session);
          return { tenantId: tenantOf(session), appName, userId, sessionId: id, scopes: [] };
        },
        () => runner.startRun(request),
      );
    },
    cancelRun: async (...names) =>
      inBounds(
        (principal) => ({ ...principal, runId: names[0] }),
        () => runner.cancelRun(...names),
      ),
    listApps: () => runner.listApps(),
    describeApp: (appName) => runner.describeApp(appName),
  };
}

/** Without a principal the call is made unchanged, and the services refuse it. */
function inBounds<Result>(bound: (principal: Principal) => Principal, work: () => Result): Result {
  const scope: CallScope | undefined = currentCallScope();
  return scope?.principal === undefined ? work() : inCallScope({ ...scope, principal: bound(scope.principal) }, work);
}
