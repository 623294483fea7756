import type { Part } from "../events/content.ts";
import { sleep as systemSleep } from "../platform/sleep.ts";
import type { GenerateOptions } from "./base-llm.ts";
import { getRetryDelay, ModelError, mapModelError, type ProviderNames, RetryStrategy } from "./error-mapper.ts";
import type { LlmResponse } from "./llm-response.ts";
import type { ModelOptions } from "./model-options.ts";
import { StreamAggregator, type StreamChunk } from "./stream-aggregator.ts";

const DEFAULT_MAX_ATTEMPTS = 3;
const DEFAULT_MAX_DELAY_MS = 30_000;
/** How often a request is sent in total if the model returns an empty answer. */
const MAX_EMPTY_ANSWERS = 2;
/** Failures of one attempt that rarely occur on the next one: the model wrote an invalid call. */
const REPEATED = new Set(["MALFORMED_FUNCTION_CALL"]);

type CallSettings = Pick<ModelOptions, "retry" | "sleep">;

/** Sends the request; resolves when the provider has begun to answer. */
export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<StreamChunk>>;

/**
 * The common part of all adapters: opens the provider's stream (and repeats that if it failed with a retryable error),
 * yields partial responses as they arrive and the complete response last, translates errors, repeats the request if the
 * answer is empty, and aborts the request if the caller stops early.
 */
export async function* callProvider(
  open: OpenStream,
  names: ProviderNames,
  options: GenerateOptions,
  settings: CallSettings,
): AsyncGenerator<LlmResponse, void, undefined> {
  const request = new AbortController();
  const signal = AbortSignal.any([options.signal, request.signal]);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const aggregator = new StreamAggregator();
      let hasShown = false;
      const chunks = await openWithRetry(() => open(signal), names, signal, settings);
      for await (const chunk of chunks) {
        const partial = aggregator.add(chunk);
        if (!options.stream || partial === undefined) continue;
        hasShown = true;
        yield partial;
      }
      // SDKs end an aborted stream as if it were complete.
      options.signal.throwIfAborted();
      const answer = aggregator.finish();
      if (!isEmpty(answer)) return yield answer;
      // Models do this occasionally, mostly after tool calls; a repeated request usually gets an answer.
      if (hasShown || attempt >= MAX_EMPTY_ANSWERS) return yield withoutAnswer(answer, names);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    throw mapModelError(error, names);
  } finally {
    request.abort();
  }
}

/** Whether the model reports a normal end with neither text nor a call. */
function isEmpty({ content, errorCode }: LlmResponse): boolean {
  if (errorCode !== undefined) return REPEATED.has(errorCode) && content === undefined;
  return !(content?.parts ?? []).some((part) => (part.text === undefined ? !isBare(part) : isSaid(part)));
}

/** A thought or its signature only: nothing for the user. */
function isBare(part: Part): boolean {
  return part.thought === true || Object.keys(part).every((key) => key === "thoughtSignature");
}

function isSaid({ text, thought }: Part): boolean {
  return thought !== true && text?.trim() !== "";
}

function withoutAnswer(answer: LlmResponse, { provider }: ProviderNames): LlmResponse {
  if (answer.errorCode !== undefined) return answer;
  const errorMessage = `${provider} ended its answer without text and without a call.`;
  return { ...answer, errorCode: "MODEL_RETURNED_NO_CONTENT", errorMessage };
}

async function openWithRetry<Stream>(
  open: () => Promise<Stream>,
  names: ProviderNames,
  signal: AbortSignal,
  { retry = {}, sleep = systemSleep }: CallSettings,
): Promise<Stream> {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, maxDelayMs = DEFAULT_MAX_DELAY_MS } = retry;
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      signal.throwIfAborted();
      const mapped = mapModelError(error, names);
      if (!(mapped instanceof ModelError) || !mapped.retryable || attempt + 1 >= maxAttempts) throw mapped;
      const delayMs = Math.max(mapped.retryDelay, delayOf(mapped.retryStrategy, attempt));
      if (delayMs > maxDelayMs) throw mapped;
      await sleep(delayMs, signal);
    }
  }
}

/**
 * Only the first repetition happens without a delay: a provider that breaks each new connection must not be called in a
 * tight loop.
 */
function delayOf(strategy: RetryStrategy, attempt: number): number {
  const isAgain = strategy === RetryStrategy.IMMEDIATE_RETRY && attempt > 0;
  return getRetryDelay(isAgain ? RetryStrategy.EXPONENTIAL_BACKOFF : strategy, attempt);
}
