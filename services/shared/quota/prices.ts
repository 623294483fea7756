import type { UsageMetadata } from "#kit/events/content.ts";
import { matchesText } from "#kit/platform/file-paths.ts";
import { MAX_QUOTA_AMOUNT } from "#ports/quota/quota-ledger.ts";

/** USD per million tokens, which are millionths of a USD per token. */
export interface Price {
  readonly input: number;
  /** Of the part of the prompt that the provider had cached; the price of `input` if absent. */
  readonly cached?: number;
  readonly output: number;
  /** The price of `output` if absent. */
  readonly thoughts?: number;
}

/** The prices of models by name, or by a pattern with `*`. */
export class PriceTable {
  readonly #exact = new Map<string, Price>();
  readonly #patterns: (readonly [string, Price])[] = [];

  constructor(prices: Iterable<readonly [string, Price]> = []) {
    for (const [name, price] of prices) {
      if (name.includes("*")) this.#patterns.push([name, price]);
      else this.#exact.set(name, price);
    }
  }

  /** The price of a model: by its name, else by the first pattern that it fits. */
  of(model: string): Price | undefined {
    return this.#exact.get(model) ?? this.#patterns.find(([pattern]) => matchesText(pattern, model))?.[1];
  }
}

/** The tokens of one call by their price, each a whole number that is not negative, whatever the model has reported. */
export interface CallTokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly thoughts: number;
}

/** Larger numbers in a model's report of one call are reduced to this number of tokens. */
const MAX_CALL_TOKENS = 100_000_000;

/**
 * The tokens that a model has reported. `promptTokenCount` includes the cached ones; a total that is larger than its parts
 * counts, and the difference has the price of output.
 */
export function tokensOf(usage: UsageMetadata): CallTokens {
  const prompt = wholeNumber(usage.promptTokenCount) + wholeNumber(usage.toolUsePromptTokenCount);
  const cached = Math.min(wholeNumber(usage.cachedContentTokenCount), prompt);
  const thoughts = wholeNumber(usage.thoughtsTokenCount);
  const parts = prompt + thoughts + wholeNumber(usage.candidatesTokenCount);
  const total = Math.max(parts, wholeNumber(usage.totalTokenCount));
  return { input: prompt - cached, cached, output: total - prompt - thoughts, thoughts };
}

export function sumOf({ input, cached, output, thoughts }: CallTokens): number {
  return input + cached + output + thoughts;
}

/** The cost in millionths of a USD, rounded up. */
export function microUsdOf(tokens: CallTokens, { input, output, cached = input, thoughts = output }: Price): number {
  const cost = tokens.input * input + tokens.cached * cached + tokens.output * output + tokens.thoughts * thoughts;
  return Math.min(Math.ceil(cost), MAX_QUOTA_AMOUNT);
}

function wholeNumber(value: unknown): number {
  if (typeof value !== "number" || !(value > 0)) return 0;
  return Math.min(Math.ceil(value), MAX_CALL_TOKENS);
}
