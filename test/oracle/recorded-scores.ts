import { type EvaluateCaseRequest, evaluateCase } from "#kit/evaluation/engine/evaluate-case.ts";
import { MetricRegistry } from "#kit/evaluation/engine/metric-registry.ts";
import type { EvalMetric, EvalMetricResult } from "#kit/evaluation/eval-result.ts";
import type { ConversationScenario, EvalCase, Invocation } from "#kit/evaluation/eval-set.ts";
import { metricNotes } from "#kit/evaluation/metric-note.ts";
import type { AskJudge } from "#kit/evaluation/metrics/judge.ts";
import { rouge1 } from "#kit/evaluation/metrics/rouge/rouge-1.ts";
import { rougeTokens } from "#kit/evaluation/metrics/rouge/tokens.ts";
import type { FunctionCall } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** Scores that google-adk recorded, with the inputs: `npm run eval:scores` compares them with those of the kit. */
export interface RecordedScores {
  readonly about?: string;
  readonly tool_trajectory_avg_score?: readonly RecordedTrajectory[];
  readonly response_match_score?: readonly RecordedResponse[];
  readonly judged?: readonly RecordedJudged[];
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
  /** The texts of the parts, turn by turn; null for a turn without an answer. */
  readonly actual: readonly (readonly string[] | null)[];
  readonly expected: readonly (readonly string[] | null)[];
  readonly detail?: readonly JsonObject[];
}

/** A metric that asks a judge, with the answers of a scripted one. */
interface RecordedJudged extends RecordedScore {
  readonly id: string;
  readonly metric: string;
  readonly criterion: JsonObject;
  /** Question and answer of each turn. */
  readonly actual: readonly Turn[];
  readonly expected: readonly Turn[] | null;
  readonly scenario?: ConversationScenario;
  /** By turn, step and sample; null if the judge failed. */
  readonly answers: Readonly<Record<string, string | null>>;
  /** Ids of rubrics and their scores. */
  readonly rubricScores?: readonly (readonly [string, number | null])[];
}

type Turn = readonly [question: string, answer: string | null];

export interface Comparison {
  readonly total: number;
  readonly equal: number;
  /** One sentence each. */
  readonly differences: readonly string[];
}

const MOST_APART = 1e-9;
const SECTIONS = ["about", "tool_trajectory_avg_score", "response_match_score", "judged", "different lengths"];

/** Computes every score of a file anew. A section that is not known counts as one difference. */
export async function compareScores(recorded: RecordedScores): Promise<Comparison> {
  const results: (string | undefined)[] = [];
  for (const entry of recorded.tool_trajectory_avg_score ?? [])
    for (const [variant, score] of Object.entries(entry.scores))
      results.push(await compareTrajectory(entry, variant, score));
  for (const entry of recorded.response_match_score ?? []) results.push(await compareResponse(entry));
  for (const entry of recorded.judged ?? []) results.push(await compareJudged(entry));
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
    conversation(actual.map(callTurn), expected.map(callTurn)),
  );
  return differenceOf(`tool_trajectory_avg_score, ${id}, ${variant}`, recorded, scored);
}

async function compareResponse(entry: RecordedResponse): Promise<string | undefined> {
  const { id, actual, expected, detail } = entry;
  const scored = await score(
    { metricName: "response_match_score", threshold: 0.8 },
    conversation(actual.map(textTurn), expected.map(textTurn)),
  );
  const name = `response_match_score, ${id}`;
  const difference = differenceOf(name, entry, scored);
  if (difference !== undefined || detail === undefined) return difference;
  const details = actual.map((texts, index) => responseDetail(plainText(texts), plainText(expected[index])));
  return isClose(details, detail) ? undefined : `${name}: details are ${JSON.stringify(details)}`;
}

function plainText(texts: readonly string[] | null | undefined): string {
  return (texts ?? []).join("\n");
}

function responseDetail(candidate: string, reference: string): JsonObject {
  return {
    ...rouge1(candidate, reference),
    actualTokens: rougeTokens(candidate),
    expectedTokens: rougeTokens(reference),
  };
}

async function compareJudged(entry: RecordedJudged): Promise<string | undefined> {
  const { metric: metricName, criterion, actual, expected, scenario } = entry;
  const evalCase: EvalCase = {
    evalId: "recorded",
    ...(expected !== null && { conversation: expected.map(spokenTurn) }),
    ...(scenario !== undefined && { conversationScenario: scenario }),
  };
  const judges: AskJudge = async ({ key }) => {
    const answer = entry.answers[`${key.invocation}/${key.step}/${key.sample}`];
    if (typeof answer === "string") return answer;
    throw new Error(answer === null ? "The judge fails." : "The question was not recorded.");
  };
  const scored = await score(
    { metricName, criterion },
    { evalCase, actualInvocations: actual.map(spokenTurn), judges },
  );
  const difference = differenceOf(`${metricName}, ${entry.id}`, entry, scored);
  if (difference !== undefined || entry.rubricScores === undefined) return difference;
  const same = isClose(scored.rubricScores, entry.rubricScores);
  return same ? undefined : `${metricName}, ${entry.id}: rubrics are ${JSON.stringify(scored.rubricScores)}`;
}

async function compareLengths(recorded: string): Promise<string | undefined> {
  const [turn, other] = [textTurn(["a"]), textTurn(["b"])];
  const { remarks } = await score(
    { metricName: "response_match_score", threshold: 0.8 },
    conversation([turn], [turn, other]),
  );
  // The wording is ours; the numbers and the refusal are the same.
  const isRefused = /\b1\b/.test(remarks) && /\b2\b/.test(remarks) && recorded.startsWith("ValueError");
  return isRefused ? undefined : `different lengths: ${remarks || "no error"}`;
}

interface Scored extends RecordedScore {
  readonly remarks: string;
  readonly rubricScores: RecordedJudged["rubricScores"];
}

type Scoring = Pick<EvaluateCaseRequest, "evalCase" | "actualInvocations" | "judges">;

function conversation(actualInvocations: readonly Invocation[], expected: readonly Invocation[]): Scoring {
  return { evalCase: { evalId: "recorded", conversation: expected }, actualInvocations };
}

async function score(metric: EvalMetric, scoring: Scoring): Promise<Scored> {
  const { signal } = new AbortController();
  const scores = await evaluateCase({ ...scoring, metrics: [metric], registry: new MetricRegistry(), signal });
  const [overall] = scores.overallEvalMetricResults;
  if (overall === undefined) throw new TypeError("An evaluation has no result of its metric.");
  const turns = scores.evalMetricResultPerInvocation.flatMap(({ evalMetricResults }) => evalMetricResults.slice(0, 1));
  return {
    ...plainScore(overall),
    overall: overall.score ?? null,
    perInvocation: turns.map(plainScore),
    remarks: metricNotes(overall).join(" "),
    rubricScores: (overall.details?.rubricScores ?? [])
      .filter(({ rubricId }) => !rubricId.startsWith("fairlead:"))
      .map(({ rubricId, score: value }) => [rubricId, value ?? null] as const),
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

function textTurn(texts: readonly string[] | null): Invocation {
  if (texts === null) return { userContent: QUESTION };
  return { userContent: QUESTION, finalResponse: { role: "model", parts: texts.map((text) => ({ text })) } };
}

function spokenTurn([question, answer]: Turn): Invocation {
  return { ...textTurn(answer === null ? null : [answer]), userContent: { role: "user", parts: [{ text: question }] } };
}
