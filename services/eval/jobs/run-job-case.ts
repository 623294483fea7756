import type { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import type { EvalCaseResult } from "#kit/evaluation/eval-result.ts";
import { type CaseEvaluation, runAndEvaluate } from "#kit/evaluation/inference/run-and-evaluate.ts";
import type { EvalJob } from "#ports/evaluation-jobs/eval-job.ts";
import type { ClaimedEvalJob } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { AppInfo } from "#ports/runs/runner-service.ts";
import { InterruptedRunError, JobSession } from "./job-session.ts";
import type { JudgeAnswerCache } from "./judge-answer-cache.ts";
import type { AskedModels } from "./judge-models.ts";
import type { EvalWorkerDeps, JobCredentials } from "./worker-deps.ts";

export interface JobCaseOptions {
  readonly claimed: ClaimedEvalJob;
  readonly answers: JudgeAnswerCache;
  readonly registry: MetricRegistry;
  /** Absent if no model may judge. */
  readonly models: AskedModels | undefined;
  /** Aborted when no further work on the job may begin. */
  readonly signal: AbortSignal;
  readonly call: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly credentials: JobCredentials;
  /** As in `JobSessionOptions`. */
  readonly describeApp: (() => Promise<AppInfo>) | undefined;
  /** The sessions whose runs end if the job is cancelled. */
  readonly sessions: Set<JobSession>;
}

/** Conversations of one case that may be interrupted before the case fails. */
const MAX_RETRIES = 3;

/**
 * Runs a case of a job and stores its result. A conversation whose run was interrupted, because its server stopped, begins
 * again in another session. Throws what keeps the platform from running the case.
 */
export async function runJobCase(deps: EvalWorkerDeps, index: number, options: JobCaseOptions): Promise<void> {
  const { claimed, call, signal, credentials, answers, models, describeApp } = options;
  const { evalJobStore: store } = deps;
  const { job, lease } = claimed;
  const evalCase = await call(() => store.getCaseInput(job, index));
  for (let retry = 0; ; retry += 1) {
    signal.throwIfAborted();
    const session = new JobSession(deps, { job, index, evalCase, retry, call, credentials, describeApp });
    const begun = await call(() => store.beginCase(lease, { index, sessionId: session.sessionId }));
    if (begun.status === "done") return;
    await session.open();
    options.sessions.add(session);
    try {
      const evaluation = evaluationOf({ job, session, options, isLast: retry === MAX_RETRIES });
      const result: EvalCaseResult = await runAndEvaluate(evalCase, session, {
        ...evaluation,
        askUser: models && answers.user(models.user, { evalId: evalCase.evalId, name: session.name }),
      });
      await call(() => store.finishCase(lease, index, result));
      return;
    } catch (error) {
      if (!(error instanceof InterruptedRunError)) throw error;
    } finally {
      if (!signal.aborted) options.sessions.delete(session);
    }
  }
}

interface EvaluationScope {
  readonly job: EvalJob;
  readonly session: JobSession;
  readonly options: JobCaseOptions;
  readonly isLast: boolean;
}

function evaluationOf({ job, session, options, isLast }: EvaluationScope): Omit<CaseEvaluation, "askUser"> {
  const { evalSetId, metrics, userSimulatorConfig } = job;
  return {
    ...{ evalSetId, metrics, userSimulatorConfig, registry: options.registry },
    judges: options.models && options.answers.judge(options.models.judge),
    signal: options.signal,
    onRun: () => {
      const { problem } = session;
      if (problem === undefined || (isLast && problem instanceof InterruptedRunError)) return;
      throw problem;
    },
  };
}
