import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import { type CallScope, currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { assertReach, type Principal } from "#shared/security/principal.ts";

/**
 * Runners over gRPC, for a gateway that signs principals. A runner executes agents and tools, so the principal that it
 * gets reaches no more than the run: the principal of a start is limited to the run's session, that of a cancellation
 * to the run's record.
 */
export function bindRuns(runner: RunnerService & LiveRunnerService): RunnerService & LiveRunnerService {
  return {
    startRun: async (request) => inBounds(toSession(request.session), () => runner.startRun(request)),
    runLive: (request) => {
      const reports = runner.runLive(request)[Symbol.asyncIterator]();
      let isCalled = false;
      const next = () => {
        if (isCalled) return reports.next();
        isCalled = true;
        // The principal belongs to the call, which begins with its first report.
        return inBounds(toSession(request.session), () => reports.next());
      };
      const end = async () => (await reports.return?.()) ?? { done: true, value: undefined };
      return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
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

function toSession(session: SessionKey): (principal: Principal) => Principal {
  return (principal) => {
    assertReach(principal, session);
    const { appName, userId, id } = session;
    return { tenantId: tenantOf(session), appName, userId, sessionId: id, scopes: [] };
  };
}

/** Without a principal the call is made unchanged, and the services refuse it. */
function inBounds<Result>(bound: (principal: Principal) => Principal, work: () => Result): Result {
  const scope: CallScope | undefined = currentCallScope();
  return scope?.principal === undefined ? work() : inCallScope({ ...scope, principal: bound(scope.principal) }, work);
}
