import { sleep as systemSleep } from "../platform/sleep.ts";
import type { GenerateOptions } from "./base-llm.ts";
import { getRetryDelay, ModelError, mapModelError, type ProviderNames } from "./error-mapper.ts";
import type { LlmResponse } from "./llm-response.ts";
import type { ModelOptions } from "./model-options.ts";
import { StreamAggregator, type StreamPiece } from "./stream-aggregator.ts";

const DEFAULT_MAX_ATTEMPTS = 3;
const DEFAULT_MAX_DELAY_MS = 30_000;

/** Sends the request; resolves once the provider has begun to answer. */
export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<StreamPiece>>;

/**
 * What the adapters have in common: opens the provider's stream (again, when that failed and may be repeated), gives pieces as
 * they come and the complete response last, translates errors, and aborts the request whenever the caller stops early.
 */
export async function* callProvider(
  open: OpenStream,
  names: ProviderNames,
  options: GenerateOptions,
  settings: ModelOptions,
): AsyncGenerator<LlmResponse, void, undefined> {
  const request = new AbortController();
  const signal = AbortSignal.any([options.signal, request.signal]);
  const aggregator = new StreamAggregator();
  try {
    const pieces = await openWithRetry(() => open(signal), names, signal, settings);
    for await (const piece of pieces) {
      const partial = aggregator.add(piece);
      if (options.stream && partial !== undefined) yield partial;
    }
    // SDKs end an aborted stream as if it were complete.
    options.signal.throwIfAborted();
    yield aggregator.finish();
  } catch (error) {
    options.signal.throwIfAborted();
    throw mapModelError(error, names);
  } finally {
    request.abort();
  }
}

async function openWithRetry<Stream>(
  open: () => Promise<Stream>,
  names: ProviderNames,
  signal: AbortSignal,
  { retry = {}, sleep = systemSleep }: ModelOptions,
): Promise<Stream> {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, maxDelayMs = DEFAULT_MAX_DELAY_MS } = retry;
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      signal.throwIfAborted();
      const mapped = mapModelError(error, names);
      if (!(mapped instanceof ModelError) || !mapped.retryable || attempt + 1 >= maxAttempts) throw mapped;
      const delayMs = Math.max(mapped.retryDelay, getRetryDelay(mapped.retryStrategy, attempt));
      if (delayMs > maxDelayMs) throw mapped;
      await sleep(delayMs, signal);
    }
  }
}
