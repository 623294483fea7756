import { rougeTokens } from "./tokens.ts";

/** How well two texts share their words, each number from 0 to 1. */
export interface Rouge1 {
  /** The share of the candidate's words that the reference has. */
  readonly precision: number;
  /** The share of the reference's words that the candidate has. */
  readonly recall: number;
  /** The harmonic mean of both. */
  readonly fmeasure: number;
}

/** ROUGE-1: a word counts as often as both texts have it. A text without words scores 0. */
export function rouge1(candidate: string, reference: string): Rouge1 {
  const candidateTokens = rougeTokens(candidate);
  const referenceTokens = rougeTokens(reference);
  const shared = sharedCount(candidateTokens, referenceTokens);
  const precision = shared / Math.max(candidateTokens.length, 1);
  const recall = shared / Math.max(referenceTokens.length, 1);
  const fmeasure = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
  return { precision, recall, fmeasure };
}

function sharedCount(candidate: readonly string[], reference: readonly string[]): number {
  const left = new Map<string, number>();
  for (const token of reference) left.set(token, (left.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of candidate) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    shared += 1;
  }
  return shared;
}
