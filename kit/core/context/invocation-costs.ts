import { LlmCallLimitExceededError, TokenBudgetExceededError } from "#kit/errors/kit-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { UsageMetadata } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import type { RunConfig } from "./run-config.ts";

type Limits = Pick<RunConfig, "maxLlmCalls" | "maxTotalTokens">;

/**
 * Far more than any conversation needs. There is a limit because each transfer nests the next agent's turn in the turn
 * before.
 */
export const MAX_TRANSFERS = 100;

/**
 * The model calls, tokens and transfers of one run. One object serves the whole run, so that limits apply across
 * transfers, loops and sub-agents.
 */
export class InvocationCosts {
  #llmCalls = 0;
  #totalTokens = 0;
  #transfers = 0;

  /** Starts with the costs of earlier holders of the run, computed from the events that they stored. */
  constructor(stored: readonly Event[] = [], { isLive = false }: { readonly isLive?: boolean } = {}) {
    for (const { author, content, usageMetadata } of stored) {
      // A live model says many things in one call, and reports its usage at the end.
      const endsCall = isLive ? usageMetadata !== undefined : content?.role === "model";
      if (author !== USER_AUTHOR && endsCall) this.#llmCalls += 1;
      if (usageMetadata !== undefined) this.addUsage(usageMetadata);
    }
  }

  get llmCalls(): number {
    return this.#llmCalls;
  }

  get totalTokens(): number {
    return this.#totalTokens;
  }

  /** Counts a call that is about to be made. Throws for the first one over a limit. */
  countLlmCall({ maxLlmCalls, maxTotalTokens }: Limits): void {
    this.#llmCalls += 1;
    if (maxLlmCalls > 0 && this.#llmCalls > maxLlmCalls) throw new LlmCallLimitExceededError(maxLlmCalls);
    this.checkTokens({ maxTotalTokens });
  }

  /** Throws when the tokens are used up: before a call, and during the conversation of a live connection. */
  checkTokens({ maxTotalTokens }: Pick<Limits, "maxTotalTokens">): void {
    if (maxTotalTokens !== undefined && this.#totalTokens >= maxTotalTokens)
      throw new TokenBudgetExceededError(maxTotalTokens, this.#totalTokens);
  }

  /** Counts a transfer that is about to happen. Throws `TRANSFER_LIMIT_EXCEEDED` for the first one over the limit. */
  countTransfer(): void {
    this.#transfers += 1;
    if (this.#transfers <= MAX_TRANSFERS) return;
    throw new PlatformError(
      "TRANSFER_LIMIT_EXCEEDED",
      `The agents of this invocation handed over ${MAX_TRANSFERS} times: they may be passing the question in a circle.`,
    );
  }

  /** Adds what a model reported for one call. A model that reports no usage adds nothing. */
  addUsage({ totalTokenCount, promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 }: UsageMetadata) {
    this.#totalTokens += totalTokenCount ?? promptTokenCount + candidatesTokenCount + thoughtsTokenCount;
  }
}
