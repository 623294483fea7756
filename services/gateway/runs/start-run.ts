import { inTenant } from "#kit/names/tenant.ts";
import { withoutAuthResponses } from "#kit/sessions/auth-responses.ts";
import type { RunRecord, RunRequest } from "#kit/sessions/run-record.ts";
import type { StartRunRequest } from "#ports/runs/runner-service.ts";
import { streamName } from "#ports/runs/stream-name.ts";
import type { QuotaSubject } from "#shared/quota/quota-limits.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import type { GatewayDeps } from "../deps.ts";
import { digest, keyReused } from "../requests/idempotency.ts";
import { withoutAppState } from "../sessions/app-state.ts";
import { storeLargeRunData } from "../sessions/large-data.ts";

/** The ids of a run that the gateway chooses. */
type ChosenNames = Required<Pick<StartRunRequest, "runId">> & Pick<StartRunRequest, "streamKey">;

/**
 * Starts the run, with its large data stored as artifacts. The gateway chooses the run's id, so that the call can be
 * repeated. Under an idempotency key the journal returns the run that the first call began; a call with another request
 * is refused. Throws `QUOTA_EXCEEDED` if the caller's budget for models is used up.
 */
export async function startRun(
  deps: GatewayDeps,
  given: StartRunRequest,
  chosen: ChosenNames = chooseNames(deps),
): Promise<RunRecord> {
  const { runnerService } = deps;
  if (deps.quotas !== undefined) await assertBudget(deps, given);
  const start = { ...(await withAllowedState(deps, given)), ...chosen };
  const { idempotencyKey } = start;
  if (idempotencyKey === undefined) return noted(await runnerService.startRun(await storeLargeRunData(deps, start)));
  // The same data gets the same name, so that a repeated request is equal to the first.
  const owner = () => digest([idempotencyKey, start.request.newMessage]);
  const stored = await storeLargeRunData(deps, start, owner);
  const run = await runnerService.startRun(stored);
  if (run.runId === chosen.runId) return noted(run);
  const isSame =
    digest(asked(run.request)) === digest(asked(withoutAuthResponses(stored.request))) &&
    (start.policy ?? run.policy) === run.policy;
  if (!isSame) throw keyReused();
  return noted(run);
}

function noted(run: RunRecord): RunRecord {
  currentCallScope()?.onRun?.(run.runId);
  return run;
}

/** Throws `QUOTA_EXCEEDED` if the caller's budget for models is used up. */
export async function assertBudget({ quotas }: Pick<GatewayDeps, "quotas">, start: StartRunRequest): Promise<void> {
  await quotas?.assertBudget(subjectOf(start));
}

/** Whose budgets the run uses: in the caller's tenant, which the ports add to the session's name. */
function subjectOf({ session, request: { keyId } }: StartRunRequest): QuotaSubject {
  const { tenantId = currentCallScope()?.principal?.tenantId, appName, userId } = session;
  return { ...inTenant(tenantId), appName, userId, keyId };
}

/** Like `startRun`, for a run whose stream is then read: the stream's subscription does not wait for the start. */
export async function startFollowedRun(deps: GatewayDeps, given: StartRunRequest): Promise<RunRecord> {
  const chosen = chooseNames(deps);
  const { runId } = chosen;
  using unread = new DisposableStack();
  unread.use(deps.runStream.expect?.(runId, streamName({ ...chosen, session: given.session })));
  const run = await startRun(deps, given, chosen);
  // Under an idempotency key it may be the run of an earlier call.
  if (run.runId === runId) unread.move();
  return run;
}

export function chooseNames({ ids, runStream }: Pick<GatewayDeps, "ids" | "runStream">): ChosenNames {
  const streamKey = runStream.newKey?.();
  return { runId: ids.next(), streamKey };
}

/** Returns the request, unless its `stateDelta` has keys that clients may not change. */
async function withAllowedState(deps: GatewayDeps, start: StartRunRequest): Promise<StartRunRequest> {
  const { stateDelta } = start.request;
  if (stateDelta === undefined) return start;
  return {
    ...start,
    request: { ...start.request, stateDelta: await withoutAppState(deps, start.session, stateDelta) },
  };
}

/** The part of a request that the caller decides. */
function asked({ traceParent: _, keyId: __, ...request }: RunRequest): RunRequest {
  return request;
}
