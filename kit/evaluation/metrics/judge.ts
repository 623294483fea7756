import type { JsonObject } from "#kit/platform/json.ts";

/** Names one call of a judge. Equal for the same question of a repeated evaluation, so that its answer can be kept. */
export interface JudgeCallKey {
  readonly evalId: string;
  readonly metricName: string;
  /** The position of the turn in its conversation. */
  readonly invocation: number;
  /** The question about the turn, for metrics that ask several questions; `answer` for others. */
  readonly step: string;
  /** The same question is asked once for each sample. */
  readonly sample: number;
}

/** One question to a judge model. */
export interface JudgeCall {
  readonly key: JudgeCallKey;
  readonly model: string;
  readonly config?: JsonObject | undefined;
  readonly prompt: string;
}

/**
 * Asks a judge model and returns the text of its answer, without thoughts; empty if it has none. Throws if the model
 * fails for good: what can be tried again has been.
 */
export type AskJudge = (call: JudgeCall, signal: AbortSignal) => Promise<string>;

/** The key as one text, for stores of answers. Different keys have different texts. */
export function judgeKeyText({ evalId, metricName, invocation, step, sample }: JudgeCallKey): string {
  return [evalId, metricName, invocation, step, sample].map((part) => encodeURIComponent(part)).join("/");
}
