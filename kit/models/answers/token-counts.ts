import type { UsageMetadata } from "#kit/events/content.ts";

/** Token counts as servers report them. What is missing, or no count, is 0. */
export interface ReportedTokens {
  readonly prompt: unknown;
  /** Tokens of the answer. Most servers include its thoughts, some do not. */
  readonly output: unknown;
  readonly thoughts?: unknown;
  readonly cached?: unknown;
  readonly total?: unknown;
}

/**
 * The counts in Gemini's form, which counts thoughts separately from the answer. Thoughts are part of `output` unless
 * that is impossible, or the total says otherwise: xAI's `completion_tokens` exclude them.
 */
export function toTokenCounts(reported: ReportedTokens): UsageMetadata {
  const [prompt, output, thoughts, cached] = [
    countOf(reported.prompt),
    countOf(reported.output),
    countOf(reported.thoughts),
    countOf(reported.cached),
  ];
  const total = countOf(reported.total);
  const isSeparate = thoughts > output || (thoughts > 0 && total === prompt + output + thoughts);
  const answer = isSeparate ? output : output - thoughts;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: answer,
    totalTokenCount: Math.max(total, prompt + answer + thoughts),
    thoughtsTokenCount: thoughts > 0 ? thoughts : undefined,
    cachedContentTokenCount: cached > 0 ? cached : undefined,
  };
}

/** Some servers write numbers as text. */
function countOf(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count) && count > 0 ? Math.round(count) : 0;
}
