import type { FunctionCall } from "#kit/events/content.ts";
import { type Metric, type MetricInput, type MetricOutcome, scoredMetric } from "./metric.ts";
import { compareTurns } from "./scores.ts";
import { type TrajectoryCriterion, trajectoryCriterion } from "./trajectory-criterion.ts";
import { toolCallsOf } from "./turn-parts.ts";

type Calls = readonly FunctionCall[];

/** Scores a turn 1 if its tool calls match the expected ones, else 0. */
export const TOOL_TRAJECTORY: Metric = scoredMetric(
  "tool_trajectory_avg_score",
  "Share of turns whose tool calls match the expected ones: names and arguments, in the order that matchType asks for.",
  (input) => compareCalls(input, (actual, expected, criterion) => (matches(actual, expected, criterion) ? 1 : 0)),
);

/** Scores a turn by the share of calls that match, so that a small mistake costs less than a large one. */
export const TOOL_TRAJECTORY_F1: Metric = scoredMetric(
  "tool_trajectory_f1",
  "How many tool calls match the expected ones, with credit for a part: the F1 score of each turn, and their mean.",
  (input) => compareCalls(input, f1),
);

function compareCalls(
  input: MetricInput,
  scoreOf: (actual: Calls, expected: Calls, criterion: TrajectoryCriterion) => number,
): MetricOutcome {
  const criterion = trajectoryCriterion(input.metric);
  return compareTurns(input, (actual, expected) => scoreOf(toolCallsOf(actual), toolCallsOf(expected), criterion));
}

function matches(actual: Calls, expected: Calls, { matchType, isSame }: TrajectoryCriterion): boolean {
  switch (matchType) {
    case "EXACT":
      return actual.length === expected.length && inOrder(actual, expected, isSame);
    case "IN_ORDER":
      return inOrder(actual, expected, isSame);
    case "ANY_ORDER":
      return sharedInAnyOrder(actual, expected, isSame) === expected.length;
    default:
      return matchType satisfies never;
  }
}

function inOrder(actual: Calls, expected: Calls, isSame: TrajectoryCriterion["isSame"]): boolean {
  let matched = 0;
  for (const call of actual) {
    const next = expected[matched];
    if (next !== undefined && isSame(call, next)) matched += 1;
  }
  return matched === expected.length;
}

/** 1 if nothing was expected and nothing called. Order counts unless `matchType` is ANY_ORDER. */
function f1(actual: Calls, expected: Calls, { matchType, isSame }: TrajectoryCriterion): number {
  const total = actual.length + expected.length;
  if (total === 0) return 1;
  const count = matchType === "ANY_ORDER" ? sharedInAnyOrder : sharedInOrder;
  return (2 * count(actual, expected, isSame)) / total;
}

/** Each actual call matches one expected call at most. */
function sharedInAnyOrder(actual: Calls, expected: Calls, isSame: TrajectoryCriterion["isSame"]): number {
  const left = [...actual];
  let shared = 0;
  for (const wanted of expected) {
    const index = left.findIndex((call) => isSame(call, wanted));
    if (index === -1) continue;
    left.splice(index, 1);
    shared += 1;
  }
  return shared;
}

/** The length of the longest sequence of calls that both have in this order. */
function sharedInOrder(actual: Calls, expected: Calls, isSame: TrajectoryCriterion["isSame"]): number {
  let lengths: readonly number[] = new Array(expected.length + 1).fill(0);
  for (const call of actual) {
    const next = [0];
    for (const [index, wanted] of expected.entries()) {
      const longer = isSame(call, wanted) ? (lengths[index] ?? 0) + 1 : 0;
      next.push(Math.max(longer, lengths[index + 1] ?? 0, next[index] ?? 0));
    }
    lengths = next;
  }
  return lengths.at(-1) ?? 0;
}
