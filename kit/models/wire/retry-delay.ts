import { getRetryDelay, type ModelError, RetryStrategy } from "#kit/models/error-mapper.ts";
import type { HttpOptions } from "#kit/models/llm-request.ts";
import type { ModelOptions } from "#kit/models/model-options.ts";

const DEFAULT_MAX_ATTEMPTS = 3;
const DEFAULT_MAX_DELAY_MS = 30_000;

/**
 * Milliseconds until the request is sent again after its `failures`-th failure; undefined if it is not: the failure
 * would occur again, there were enough attempts, or the provider asks for a longer pause than the model's options allow.
 */
export function retryDelayOf(
  error: ModelError,
  failures: number,
  { retry = {} }: Pick<ModelOptions, "retry">,
  { attempts, maxDelay }: NonNullable<HttpOptions["retryOptions"]> = {},
): number | undefined {
  const maxAttempts = attempts ?? retry.maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
  const maxDelayMs = maxDelay === undefined ? (retry.maxDelayMs ?? DEFAULT_MAX_DELAY_MS) : maxDelay * 1000;
  if (!error.retryable || failures >= maxAttempts) return undefined;
  const delayMs = Math.max(error.retryDelay, delayOf(error.retryStrategy, failures - 1));
  return delayMs > maxDelayMs ? undefined : delayMs;
}

/**
 * Only the first repetition happens without a delay: a provider that breaks each new connection must not be called in a
 * tight loop.
 */
function delayOf(strategy: RetryStrategy, attempt: number): number {
  const isAgain = strategy === RetryStrategy.IMMEDIATE_RETRY && attempt > 0;
  return getRetryDelay(isAgain ? RetryStrategy.EXPONENTIAL_BACKOFF : strategy, attempt);
}
