import { EVAL_STATUS, type EvalCaseResult, type EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { metricNotes } from "#kit/evaluation/metric-note.ts";
import { type PassRate, passRate } from "./pass-rate.ts";

/** A metric of a case over all repetitions. */
export interface MetricReport {
  readonly metricName: string;
  /** The mean; absent if no repetition has a score. */
  readonly score?: number;
  /** How many repetitions have each status, by its name. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Why a score is absent, and other remarks, each once. */
  readonly remarks: readonly string[];
}

/** A case over all repetitions. */
export interface CaseReport extends PassRate {
  readonly evalSetId: string;
  readonly evalId: string;
  readonly metrics: readonly MetricReport[];
}

/** What `--json` prints and `--baseline` reads. */
export interface EvalReport {
  readonly app: string;
  readonly repeat: number;
  readonly cases: readonly CaseReport[];
  /** All runs of all cases. */
  readonly total: PassRate;
  /** In the form of ADK's result files. */
  readonly results: readonly EvalSetResult[];
}

/** A run passes if its case is PASSED: a case that was not evaluated has not passed. */
export function createReport(app: string, repeat: number, results: readonly EvalSetResult[]): EvalReport {
  const runs = results.flatMap(({ evalCaseResults }) => evalCaseResults);
  const byCase = Map.groupBy(runs, ({ evalSetId, evalId }) => JSON.stringify([evalSetId, evalId]));
  const cases = [...byCase.values()].flatMap((group) => caseReport(group) ?? []);
  return { app, repeat, cases, total: rateOf(runs), results };
}

function caseReport(runs: readonly EvalCaseResult[]): CaseReport | undefined {
  const [first] = runs;
  if (first === undefined) return undefined;
  const metrics = first.overallEvalMetricResults.map(({ metricName }) => metricReport(metricName, runs));
  return { evalSetId: first.evalSetId, evalId: first.evalId, ...rateOf(runs), metrics };
}

function rateOf(runs: readonly EvalCaseResult[]): PassRate {
  return passRate(runs.filter(isCasePassed).length, runs.length);
}

export function isCasePassed({ finalEvalStatus }: Pick<EvalCaseResult, "finalEvalStatus">): boolean {
  return finalEvalStatus === EVAL_STATUS.PASSED;
}

function metricReport(metricName: string, runs: readonly EvalCaseResult[]): MetricReport {
  const results = runs.flatMap(({ overallEvalMetricResults }) =>
    overallEvalMetricResults.filter((result) => result.metricName === metricName),
  );
  const scores = results.flatMap(({ score }) => score ?? []);
  const names = Object.entries(EVAL_STATUS).map(
    ([name, status]) => [name, results.filter(({ evalStatus }) => evalStatus === status).length] as const,
  );
  return {
    metricName,
    score: scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : undefined,
    statuses: Object.fromEntries(names.filter(([, count]) => count > 0)),
    remarks: [...new Set(results.flatMap(metricNotes))],
  };
}
