import { PlatformError } from "#kit/errors/platform-error.ts";
import { withMetricNote } from "#kit/evaluation/metric-note.ts";
import { evaluateCase } from "../engine/evaluate-case.ts";
import type { MetricRegistry } from "../engine/metric-registry.ts";
import { EVAL_STATUS, type EvalCaseResult, type EvalMetric } from "../eval-result.ts";
import type { EvalCase } from "../eval-set.ts";
import type { UserSimulatorConfig } from "../formats/eval-config.ts";
import type { AskJudge } from "../metrics/judge.ts";
import { type AskSimulator, createModelUser } from "../simulation/model-user.ts";
import { createRecordedUser, type UserSimulator } from "../simulation/user-simulator.ts";
import { type CaseRun, runCase, type StartTurn } from "./run-case.ts";

/** The session in which one case is run. */
export interface CaseSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly startTurn: StartTurn;
}

export interface CaseEvaluation {
  readonly evalSetId: string;
  readonly metrics: readonly EvalMetric[];
  readonly registry: MetricRegistry;
  readonly userSimulatorConfig?: UserSimulatorConfig | undefined;
  /** Absent: metrics that need a judge are not evaluated, and their results contain the reason. */
  readonly judges?: AskJudge | undefined;
  /** Absent: a case with a scenario fails, because no user can be simulated. */
  readonly askUser?: AskSimulator | undefined;
  readonly signal: AbortSignal;
  /** Called when the conversation is over, before anything is judged. What it throws ends the evaluation of the case. */
  readonly onRun?: (run: CaseRun) => void;
}

/** Runs a case in its session and evaluates what the agent did. Throws if the signal is aborted, and what `onRun` throws. */
export async function runAndEvaluate(
  evalCase: EvalCase,
  { sessionId, userId, startTurn }: CaseSession,
  evaluation: CaseEvaluation,
): Promise<EvalCaseResult> {
  const { evalSetId, metrics, registry, judges, signal, onRun } = evaluation;
  const run = await runCase(evalCase, { user: userOf(evalCase, evaluation), startTurn, signal });
  onRun?.(run);
  const of = { evalSetFile: evalSetId, evalSetId, evalId: evalCase.evalId, sessionId, userId };
  if (run.kind === "failed") return { ...of, ...failedScores(metrics, `The run failed: ${run.why}`) };
  const { invocations: actualInvocations } = run;
  return { ...of, ...(await evaluateCase({ evalCase, actualInvocations, metrics, registry, judges, signal })) };
}

function userOf(
  { conversation, conversationScenario: scenario }: EvalCase,
  { userSimulatorConfig: config, askUser: ask }: CaseEvaluation,
): UserSimulator {
  if (scenario === undefined) return createRecordedUser(conversation ?? []);
  return ask === undefined ? ABSENT_USER : createModelUser({ scenario, config, ask });
}

const ABSENT_USER: UserSimulator = {
  nextMessage: async () => {
    throw new PlatformError(
      "EVAL_USER_SILENT",
      "This server does not simulate users: EVAL_JUDGE_MODELS names no model.",
    );
  },
};

function failedScores(metrics: readonly EvalMetric[], why: string) {
  const details = withMetricNote(undefined, why);
  return {
    finalEvalStatus: EVAL_STATUS.FAILED,
    overallEvalMetricResults: metrics.map((metric) => ({ ...metric, evalStatus: EVAL_STATUS.NOT_EVALUATED, details })),
    evalMetricResultPerInvocation: [],
  };
}
