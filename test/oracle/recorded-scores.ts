import { evaluateCase } from "#kit/evaluation/engine/evaluate-case.ts";
import { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import { remarksOf } from "#kit/evaluation/eval-remark.ts";
import type { EvalMetric, EvalMetricResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, Invocation } from "#kit/evaluation/eval-set.ts";
import { rouge1 } from "#kit/evaluation/metrics/rouge/rouge-1.ts";
import { rougeTokens } from "#kit/evaluation/metrics/rouge/tokens.ts";
import type { FunctionCall } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** Scores that google-adk recorded, with the inputs: `npm run eval:scores` compares them with those of the kit. */
export interface RecordedScores {
  readonly about?: string;
  readonly tool_trajectory_avg_score?: readonly RecordedTrajectory[];
  readonly response_match_score?: readonly RecordedResponse[];
  /** The error for one actual and two expected turns. */
  readonly "different lengths"?: string;
}

interface RecordedScore {
  readonly overall: number | null;
  readonly status: number;
  readonly perInvocation: readonly { readonly score: number | null; readonly status: number }[];
}

interface RecordedTrajectory {
  readonly id: string;
  readonly actual: readonly (readonly FunctionCall[])[];
  readonly expected: readonly (readonly FunctionCall[])[];
  /** By the type of match, with " ignoreArgs" behind it if arguments are not compared. */
  readonly scores: Readonly<Record<string, RecordedScore>>;
}

interface RecordedResponse extends RecordedScore {
  readonly id: string;
  /** The texts of the parts, turn by turn. */
  readonly actual: readonly (readonly string[])[];
  readonly expected: readonly (readonly string[])[];
  readonly detail?: readonly JsonObject[];
}

export interface Comparison {
  readonly total: number;
  readonly equal: number;
  /** One sentence each. */
  readonly differences: readonly string[];
}

const MOST_APART = 1e-9;
const SECTIONS = ["about", "tool_trajectory_avg_score", "response_match_score", "different lengths"];

/** Computes every score of a file anew. A section that is not known counts as one difference. */
export async function compareScores(recorded: RecordedScores): Promise<Comparison> {
  const results: (string | undefined)[] = [];
  for (const entry of recorded.tool_trajectory_avg_score ?? [])
    for (const [variant, score] of Object.entries(entry.scores))
      results.push(await compareTrajectory(entry, variant, score));
  for (const entry of recorded.response_match_score ?? []) results.push(await compareResponse(entry));
  if (recorded["different lengths"] !== undefined) results.push(await compareLengths(recorded["different lengths"]));
  const unknown = Object.keys(recorded).filter((section) => !SECTIONS.includes(section));
  results.push(...unknown.map((section) => `${section}: this form of section is not known.`));
  const differences = results.filter((difference) => difference !== undefined);
  return { total: results.length, equal: results.length - differences.length, differences };
}

async function compareTrajectory(
  { id, actual, expected }: RecordedTrajectory,
  variant: string,
  recorded: RecordedScore,
): Promise<string | undefined> {
  const [matchType = "", option] = variant.split(" ");
  const criterion = { threshold: 1, matchType, ignoreArgs: option === "ignoreArgs" };
  const scored = await score(
    { metricName: "tool_trajectory_avg_score", criterion },
    actual.map(callTurn),
    expected.map(callTurn),
  );
  return differenceOf(`tool_trajectory_avg_score, ${id}, ${variant}`, recorded, scored);
}

async function compareResponse(entry: RecordedResponse): Promise<string | undefined> {
  const { id, actual, expected, detail } = entry;
  const scored = await score(
    { metricName: "response_match_score", threshold: 0.8 },
    actual.map(textTurn),
    expected.map(textTurn),
  );
  const name = `response_match_score, ${id}`;
  const difference = differenceOf(name, entry, scored);
  if (difference !== undefined || detail === undefined) return difference;
  const details = actual.map((texts, index) => responseDetail(texts.join("\n"), (expected[index] ?? []).join("\n")));
  return isClose(details, detail) ? undefined : `${name}: details are ${JSON.stringify(details)}`;
}

function responseDetail(candidate: string, reference: string): JsonObject {
  return {
    ...rouge1(candidate, reference),
    actualTokens: rougeTokens(candidate),
    expectedTokens: rougeTokens(reference),
  };
}

async function compareLengths(recorded: string): Promise<string | undefined> {
  const [turn, other] = [textTurn(["a"]), textTurn(["b"])];
  const { remarks } = await score({ metricName: "response_match_score", threshold: 0.8 }, [turn], [turn, other]);
  // The wording is ours; the numbers and the refusal are the same.
  const isRefused = /\b1\b/.test(remarks) && /\b2\b/.test(remarks) && recorded.startsWith("ValueError");
  return isRefused ? undefined : `different lengths: ${remarks || "no error"}`;
}

interface Scored extends RecordedScore {
  readonly remarks: string;
}

async function score(
  metric: EvalMetric,
  actual: readonly Invocation[],
  expected: readonly Invocation[],
): Promise<Scored> {
  const evalCase: EvalCase = { evalId: "recorded", conversation: expected };
  const scores = await evaluateCase({
    evalCase,
    actualInvocations: actual,
    metrics: [metric],
    registry: new MetricRegistry(),
    signal: new AbortController().signal,
  });
  const [overall] = scores.overallEvalMetricResults;
  if (overall === undefined) throw new TypeError("An evaluation has no result of its metric.");
  const turns = scores.evalMetricResultPerInvocation.flatMap(({ evalMetricResults }) => evalMetricResults.slice(0, 1));
  return {
    ...plainScore(overall),
    overall: overall.score ?? null,
    perInvocation: turns.map(plainScore),
    remarks: remarksOf(overall).join(" "),
  };
}

function plainScore({ score: value, evalStatus }: EvalMetricResult) {
  return { score: value ?? null, status: evalStatus };
}

function differenceOf(
  name: string,
  recorded: RecordedScore,
  { overall, status, perInvocation }: Scored,
): string | undefined {
  const expected = { overall: recorded.overall, status: recorded.status, perInvocation: recorded.perInvocation };
  const scored = { overall, status, perInvocation };
  return isClose(scored, expected)
    ? undefined
    : `${name}: ${JSON.stringify(scored)}, recorded ${JSON.stringify(expected)}`;
}

/** Deep equality, of numbers up to the tolerance. */
function isClose(one: unknown, other: unknown): boolean {
  if (typeof one === "number" && typeof other === "number") return Math.abs(one - other) <= MOST_APART;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const [entries, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isClose(value, others.get(key)))
  );
}

const QUESTION = { role: "user", parts: [{ text: "question" }] };

function callTurn(toolUses: readonly FunctionCall[]): Invocation {
  return { userContent: QUESTION, intermediateData: { toolUses } };
}

function textTurn(texts: readonly string[]): Invocation {
  return { userContent: QUESTION, finalResponse: { role: "model", parts: texts.map((text) => ({ text })) } };
}
