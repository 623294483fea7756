import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { evalSetNotFound } from "#ports/evaluation/eval-set-changes.ts";
import type { EvalSetKey } from "#ports/evaluation/eval-store.ts";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import { assertNotInDeletion } from "#ports/tenants/deletion-error.ts";
import { dataDeletionsOf } from "#ports/tenants/tenant-data-of.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import type { GatewayDeps, RouteDeps } from "../deps.ts";
import { digest } from "../requests/idempotency.ts";
import { assertMayRun, metricsOfServer, onlyUserOfCaller, withJudgeModel, withUserModel } from "./eval-rules.ts";
import { assertRoom, assertWorkload } from "./evaluation-limits.ts";
import type { RunEvalRequest } from "./run-eval-request.ts";

export interface StartEvaluationOptions {
  /** The caller's API key. */
  readonly keyId: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** No evaluation lasts longer, whatever EVAL_TIMEOUT_MS is. */
const MAX_EVALUATION_MS = 24 * 60 * 60 * 1000;

/**
 * Starts an evaluation of cases of a set, which are read once. With an idempotency key a repeated call with the same
 * request returns the first evaluation. Throws `APP_NOT_FOUND`, `EVAL_SET_NOT_FOUND`, `EVAL_CASE_NOT_FOUND`,
 * `QUOTA_EXCEEDED`, `DATA_IN_DELETION`, and `INVALID_FIELD` for metrics that are not known, judges that may not judge here, and a set without
 * cases.
 */
export async function startEvaluation(
  deps: GatewayDeps & Pick<RouteDeps, "unguarded" | "webhooks">,
  key: EvalSetKey,
  request: RunEvalRequest,
  { keyId, idempotencyKey }: StartEvaluationOptions,
): Promise<EvalJob> {
  const { evalStore, evalJobs, evalPermits, runnerService, quotas, ids, clock } = deps;
  const set = await evalStore.getEvalSet(key);
  if (set === undefined) throw evalSetNotFound(key);
  const cases = chosenCases(set, request.evalIds);
  const { judgeModels } = await evalJobs.describe();
  const registry = await metricsOfServer(judgeModels);
  for (const { metricName } of request.evalMetrics) registry.find(metricName);
  const metrics = request.evalMetrics.map((metric) => withJudgeModel(metric, { registry, judgeModels }));
  const userSimulatorConfig = withUserModel(request.userSimulatorConfig, judgeModels);
  assertWorkload({ cases, metrics, registry, userSimulatorConfig });
  for (const evalCase of cases) assertMayRun(deps, evalCase);
  await runnerService.describeApp(key.appName);
  const userId = onlyUserOfCaller();
  const { appName, evalSetId } = key;
  const tenant = inTenant(currentCallScope()?.principal?.tenantId);
  // Read without the caller's guard, because callers may not read deletions.
  assertNotInDeletion(await dataDeletionsOf(deps.unguarded.sessionService).listDeletions(), { ...tenant, userId });
  if (quotas !== undefined) await quotas.assertBudget({ ...tenant, appName, userId, keyId });
  await assertRoom(evalJobs, appName, userId);
  const jobId = ids.next();
  const deadlineMs = clock.now() + MAX_EVALUATION_MS;
  const permit = await evalPermits?.allow({ ...tenant, appName, userId, jobId, deadlineMs });
  await deps.webhooks?.watchEvaluation({ ...tenant, jobId, appName, userId });
  const job = await evalJobs.start({
    permit,
    ...{ jobId, appName, evalSetId, metrics, cases },
    userSimulatorConfig,
    userId,
    requester: { userId, keyId },
    fingerprint: digest([evalSetId, request]),
    idempotencyKey,
  });
  currentCallScope()?.onEvaluation?.(job.jobId);
  return job;
}

function chosenCases({ evalSetId, evalCases }: EvalSet, evalIds: readonly string[]): readonly EvalCase[] {
  const unknown = evalIds.find((id) => !evalCases.some(({ evalId }) => evalId === id));
  if (unknown !== undefined)
    throw new PlatformError("EVAL_CASE_NOT_FOUND", `Evaluation case not found in set ${evalSetId}: ${unknown}`, {
      details: { evalSetId, evalId: unknown },
    });
  if (evalCases.length === 0)
    throw new PlatformError("INVALID_FIELD", `The evaluation set ${evalSetId} has no cases. Add one first.`, {
      details: { evalSetId },
    });
  return evalIds.length === 0 ? evalCases : evalCases.filter(({ evalId }) => evalIds.includes(evalId));
}
