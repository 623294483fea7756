import {
  EVAL_STATUS,
  type EvalCaseResult,
  type EvalMetricResult,
  type EvalSetResult,
  evalSetResultId,
  evalSetResultName,
} from "#kit/evaluation/eval-result.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { EVAL_JOB_STATUSES, type EvalJob, type EvalJobCase } from "#ports/evaluation-jobs/eval-job.ts";
import { JsonMap } from "../requests/wire-schemas.ts";

/**
 * The results of a case that say passed or failed. Metrics of efficiency, and others without
 * a threshold, only inform: with them a case that passes would count as one that mostly fails.
 */
function verdictsOf({ overallEvalMetricResults }: EvalCaseResult): readonly EvalMetricResult[] {
  return overallEvalMetricResults.filter(({ evalStatus }) => evalStatus !== EVAL_STATUS.INFORMATIONAL);
}

/** The result as the developer UI reads it, which counts `evalMetricResults` of each case. */
export function toUiResult(result: EvalSetResult) {
  const evalCaseResults = result.evalCaseResults.map((one) => ({ ...one, evalMetricResults: verdictsOf(one) }));
  return { ...result, evalCaseResults };
}

const Count = Type.Integer({ minimum: 0 });

/** An evaluation as routes answer it. Times are milliseconds since the epoch. */
export const EvaluationSchema = Type.Object({
  jobId: Type.String(),
  appName: Type.String(),
  evalSetId: Type.String(),
  status: Type.Enum([...EVAL_JOB_STATUSES]),
  counts: Type.Object({ total: Count, running: Count, done: Count, passed: Count, failed: Count }),
  evalMetrics: Type.Array(JsonMap),
  userId: Type.Optional(
    Type.String({ description: "Who asked for it; absent for callers who reach all users. Others do not see it." }),
  ),
  createdTime: Type.Number(),
  startedTime: Type.Optional(Type.Number()),
  endedTime: Type.Optional(Type.Number()),
  cancelRequested: Type.Boolean(),
  attempts: Type.Integer({ description: "How many workers began it; more than one if processes were lost." }),
  sequence: Type.Integer({ description: "Grows with each change: where the stream continues." }),
  evalResultId: Type.Optional(
    Type.String({ description: "The name of the stored result of the set, of an evaluation that has succeeded." }),
  ),
  error: Type.Optional(Type.Object({ reason: Type.String(), message: Type.String() })),
});

export const EvaluationCaseSchema = Type.Object({
  index: Type.Integer(),
  evalId: Type.String(),
  status: Type.Enum(["pending", "running", "done"]),
  attempts: Type.Integer(),
  sequence: Type.Integer(),
  sessionId: Type.Optional(Type.String()),
  finalEvalStatus: Type.Optional(Type.Integer({ description: "1 passed, 2 failed, 3 not evaluated." })),
});

export function toWireEvaluation(job: EvalJob): Static<typeof EvaluationSchema> {
  const { appName, evalSetId, resultTimestamp, requester, metrics, status } = job;
  const { jobId, counts, createdTime, startedTime, endedTime, cancelRequested, attempts, sequence, error } = job;
  return {
    ...{ jobId, appName, evalSetId, status, counts },
    // They are JSON; their interface merely lacks an index signature.
    evalMetrics: metrics.map((metric) => ({ ...metric })),
    userId: requester.userId,
    createdTime,
    startedTime,
    endedTime,
    ...{ cancelRequested, attempts, sequence },
    evalResultId:
      status === "succeeded" ? evalSetResultName(evalSetResultId(appName, evalSetId, resultTimestamp)) : undefined,
    error: error && { ...error },
  };
}

export function toWireCase(given: EvalJobCase): Static<typeof EvaluationCaseSchema> {
  const { index, evalId, status, attempts, sequence, sessionId, finalEvalStatus } = given;
  return {
    ...{ index, evalId, status, attempts, sequence },
    sessionId,
    finalEvalStatus,
  };
}
