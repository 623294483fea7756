import { ConcurrencyLimit } from "#kit/core/executor.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { evaluateCase } from "#kit/evaluation/engine/evaluate-case.ts";
import { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import { withRemark } from "#kit/evaluation/eval-remark.ts";
import {
  EVAL_STATUS,
  type EvalCaseResult,
  type EvalMetric,
  evalSetResultId,
  evalSetResultName,
} from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import { evalSetNotFound } from "#kit/evaluation/eval-set-changes.ts";
import type { EvalSetKey } from "#kit/evaluation/eval-store.ts";
import { runCase } from "#kit/evaluation/inference/run-case.ts";
import { createRecordedUser } from "#kit/evaluation/simulation/recorded-user.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import type { GatewayDeps } from "../deps.ts";
import { digest } from "../requests/idempotency.ts";
import { assertMayRun, type CaseSession, openCaseSession } from "./case-session.ts";
import type { RunEvalRequest } from "./run-eval-request.ts";

/** The metrics that this server computes. */
export const EVAL_METRICS = new MetricRegistry({ withoutJudge: true });

/** As ADK's server. Each case has one active run, so this is also the number of runs of one evaluation. */
const PARALLEL_CASES = 4;

export interface RunEvaluationOptions {
  /** The caller's API key. */
  readonly keyId: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Ends the evaluation; runs that have started continue. */
  readonly signal: AbortSignal;
}

/**
 * Runs the app on cases of a set, evaluates what it did, stores the result of the set, and returns those of the cases in
 * the order of the set. The cases are read once: later changes of the set do not count. With an idempotency key a
 * repeated call with the same request continues the first: turns that were run are not run again, and the stored result
 * is replaced. A case fails if its agent does; the evaluation fails if the platform cannot run a case. Throws
 * `APP_NOT_FOUND`, `EVAL_SET_NOT_FOUND`, `EVAL_CASE_NOT_FOUND`, and `INVALID_FIELD` for metrics that are not known and
 * for a set without cases.
 */
export async function runEvaluation(
  deps: GatewayDeps,
  key: EvalSetKey,
  request: RunEvalRequest,
  options: RunEvaluationOptions,
): Promise<readonly EvalCaseResult[]> {
  const set = await deps.evalStore.getEvalSet(key);
  if (set === undefined) throw evalSetNotFound(key);
  const cases = chosenCases(set, request.evalIds);
  for (const { metricName } of request.evalMetrics) EVAL_METRICS.find(metricName);
  for (const evalCase of cases) assertMayRun(deps, evalCase);
  await deps.runnerService.describeApp(key.appName);
  const { idempotencyKey, keyId } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const { tenantId, userId } = currentCallScope()?.principal ?? {};
  const evaluation =
    idempotencyKey === undefined
      ? deps.ids.next()
      : digest([idempotencyKey, tenantId, userId, key.appName, key.evalSetId, request, cases]);
  const limit = new ConcurrencyLimit(PARALLEL_CASES);
  const finished = await Promise.all(
    cases.map((evalCase, index) =>
      limit.execute(async () => {
        signal.throwIfAborted();
        const name = `${evaluation}-${index}`;
        const session = await openCaseSession(deps, evalCase, { appName: key.appName, name, keyId });
        const result = await evaluateOne(evalCase, session, { set, metrics: request.evalMetrics, signal });
        return { result, startedMs: session.startedMs() };
      }),
    ),
  ).catch((error: unknown) => {
    // The other cases start no further runs.
    failed.abort(error);
    throw error;
  });
  const results = finished.map(({ result }) => result);
  // The time of the first run is the same in a repeated call, so that it replaces the result of the first.
  const startedMs = finished.flatMap((each) => each.startedMs ?? []).reduce((a, b) => Math.min(a, b), deps.clock.now());
  await saveResult(deps, key, { results, creationTimestamp: startedMs / 1000 });
  return results;
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

interface Scope {
  readonly set: EvalSet;
  readonly metrics: readonly EvalMetric[];
  readonly signal: AbortSignal;
}

async function evaluateOne(
  evalCase: EvalCase,
  { session, startTurn, outage }: CaseSession,
  { set: { evalSetId }, metrics, signal }: Scope,
): Promise<EvalCaseResult> {
  const { evalId, conversation, conversationScenario } = evalCase;
  const of = { evalSetFile: evalSetId, evalSetId, evalId, sessionId: session.id, userId: session.userId };
  if (conversationScenario !== undefined)
    return { ...of, ...failedScores(metrics, "This server does not play users: it evaluates recorded conversations.") };
  const run = await runCase(evalCase, { user: createRecordedUser(conversation ?? []), startTurn, signal });
  if (outage() !== undefined) throw outage();
  if (run.kind === "failed") return { ...of, ...failedScores(metrics, `The run failed: ${run.why}`) };
  const { invocations: actualInvocations } = run;
  return { ...of, ...(await evaluateCase({ evalCase, actualInvocations, metrics, registry: EVAL_METRICS, signal })) };
}

function failedScores(metrics: readonly EvalMetric[], why: string) {
  const details = withRemark(undefined, why);
  return {
    finalEvalStatus: EVAL_STATUS.FAILED,
    overallEvalMetricResults: metrics.map((metric) => ({ ...metric, evalStatus: EVAL_STATUS.NOT_EVALUATED, details })),
    evalMetricResultPerInvocation: [],
  };
}

interface Finished {
  readonly results: readonly EvalCaseResult[];
  /** Seconds since the epoch. */
  readonly creationTimestamp: number;
}

async function saveResult(deps: GatewayDeps, key: EvalSetKey, { results, creationTimestamp }: Finished): Promise<void> {
  const { appName, evalSetId } = key;
  const id = evalSetResultId(appName, evalSetId, creationTimestamp);
  await deps.evalStore.saveEvalSetResult(
    { appName },
    {
      evalSetResultId: id,
      evalSetResultName: evalSetResultName(id),
      evalSetId,
      evalCaseResults: results,
      creationTimestamp,
    },
  );
}
