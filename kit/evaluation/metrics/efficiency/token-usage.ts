import type { TokenUsageDetails } from "#kit/evaluation/eval-result.ts";
import type { Invocation } from "#kit/evaluation/eval-set.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import type { Metric } from "../metric.ts";
import { efficiencyMetric, type TurnCost } from "./efficiency-metric.ts";

export const TOKEN_USAGE: Metric = efficiencyMetric({
  name: "token_usage_v1",
  description: "Tokens that the models of a turn read and wrote, on average.",
  costOf: (invocation) => costOf(turnTotal(usagesOf(invocation))),
  combine: (turns) => costOf(meanOf(turns.map(({ details }) => details?.tokenUsageDetails ?? {}))),
});

/**
 * The names of the counts. The total is the sum of the input and the output; the names below each of these two are its
 * parts.
 */
const COUNTS = [
  "totalTokens",
  "inputTokens",
  "promptTokens",
  "cachedTokens",
  "toolUseTokens",
  "outputTokens",
  "candidatesTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof TokenUsageDetails)[];

function costOf(details: TokenUsageDetails): TurnCost {
  return { score: details.totalTokens, details: { tokenUsageDetails: details } };
}

function usagesOf({ intermediateData }: Invocation): readonly UsageMetadata[] {
  const events = intermediateData?.invocationEvents ?? [];
  // Files of other servers may have null for absent usage.
  return events.flatMap(({ usageMetadata }) => (isJsonObject(usageMetadata) ? [usageMetadata] : []));
}

function turnTotal(usages: readonly UsageMetadata[]): TokenUsageDetails {
  const calls = usages.map(callUsage);
  const sum = (count: keyof TokenUsageDetails): number | undefined => sumOf(calls.map((call) => call[count]));
  const parts = Object.fromEntries(COUNTS.map((count) => [count, sum(count)]));
  return withoutAbsent({ ...parts, totalTokens: sumOf([sum("inputTokens"), sum("outputTokens")]) });
}

function callUsage(usage: UsageMetadata): TokenUsageDetails {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage;
  return withoutAbsent({
    inputTokens: sumOf([promptTokenCount, toolUsePromptTokenCount]),
    promptTokens: promptTokenCount,
    cachedTokens: usage.cachedContentTokenCount,
    toolUseTokens: toolUsePromptTokenCount,
    outputTokens: sumOf([candidatesTokenCount, thoughtsTokenCount]),
    candidatesTokens: candidatesTokenCount,
    reasoningTokens: thoughtsTokenCount,
  });
}

/**
 * The mean over all turns: a count that a turn does not report is zero there, because providers leave out what was not
 * used. A count that no turn reports stays absent.
 */
function meanOf(turns: readonly TokenUsageDetails[]): TokenUsageDetails {
  const meanCount = (count: keyof TokenUsageDetails): number | undefined => {
    const total = sumOf(turns.map((turn) => turn[count]));
    return total === undefined ? undefined : total / turns.length;
  };
  return withoutAbsent(Object.fromEntries(COUNTS.map((count) => [count, meanCount(count)])));
}

/** Undefined if no value is known; the others count as zero. Members of stored usage may be null. */
function sumOf(values: readonly (number | null | undefined)[]): number | undefined {
  const known = values.filter((value) => typeof value === "number");
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

function withoutAbsent(
  details: { readonly [Count in keyof TokenUsageDetails]: number | undefined },
): TokenUsageDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => typeof value === "number"));
}
