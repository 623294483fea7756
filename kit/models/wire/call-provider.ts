import type { Content, Part } from "#kit/events/content.ts";
import type { GenerateOptions } from "#kit/models/base-llm.ts";
import { ModelError, mapModelError, type ProviderNames } from "#kit/models/error-mapper.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ModelOptions } from "#kit/models/model-options.ts";
import { namedSettings } from "#kit/models/refused-request.ts";
import { StreamAggregator, type StreamChunk } from "#kit/models/stream-aggregator.ts";
import { sleep as systemSleep } from "#kit/platform/sleep.ts";
import type { AdapterProperties } from "./adapter-properties.ts";
import { ProviderForm } from "./provider-form.ts";
import type { ProviderRules } from "./provider-rules.ts";
import { retryDelayOf } from "./retry-delay.ts";
import type { WireRequest } from "./wire-request.ts";

/** How often a request is sent in total if the model returns an empty answer. */
const MAX_EMPTY_ANSWERS = 2;
/** Failures of one attempt that rarely occur on the next one: the model wrote an invalid call. */
const REPEATED = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]);

/** One call of a provider. */
export interface ProviderCall {
  readonly request: LlmRequest;
  /** What the provider takes; asked once, when the call begins. */
  readonly rules: () => ProviderRules;
  /** Sends the request; resolves when the provider has begun to answer. Called again for each attempt. */
  readonly open: (request: WireRequest, signal: AbortSignal) => Promise<AsyncIterable<StreamChunk>>;
  readonly names: ProviderNames;
  readonly properties: AdapterProperties;
}

/**
 * The common part of all adapters: brings the request into the provider's form, opens the provider's stream, yields
 * partial responses as they arrive and the complete response last, in the names of the request, translates errors, and
 * aborts the request if the caller stops early. As long as the caller has seen nothing, a retryable failure repeats the
 * request, also one within the stream; so does an empty answer.
 */
export async function* callProvider(
  call: ProviderCall,
  options: GenerateOptions,
  settings: Pick<ModelOptions, "retry" | "sleep">,
): AsyncGenerator<LlmResponse, void, undefined> {
  const request = new AbortController();
  const signal = AbortSignal.any([options.signal, request.signal]);
  const { sleep = systemSleep } = settings;
  const isShown = (attempt: Attempt): boolean => options.stream && attempt.hasShown;
  let { config } = call.request;
  let failures = 0;
  let answers = 0;
  try {
    const rules = call.rules();
    config = call.properties.settingsOf(call.request, rules, options);
    const form = new ProviderForm(call.request, rules, config);
    for (;;) {
      const attempt = new Attempt(form);
      try {
        const chunks = await call.open(form.request, signal);
        for await (const chunk of chunks) {
          const partial = attempt.add(chunk);
          if (options.stream && partial !== undefined) yield partial;
        }
        // SDKs end an aborted stream as if it were complete.
        options.signal.throwIfAborted();
      } catch (error) {
        options.signal.throwIfAborted();
        failures += 1;
        const mapped = mapModelError(error, { ...call.names, namedSettings: (text) => namedSettings(config, text) });
        const isShown = options.stream && attempt.hasShown;
        const delayMs =
          isShown || !(mapped instanceof ModelError)
            ? undefined
            : retryDelayOf(mapped, failures, settings, config.httpOptions?.retryOptions);
        if (delayMs === undefined) throw mapped;
        await sleep(delayMs, signal);
        continue;
      }
      answers += 1;
      const answer = attempt.finish();
      if (!isEmpty(answer)) return yield answer;
      // Models do this occasionally, mostly after tool calls; a repeated request usually gets an answer. Thoughts that were
      // shown before an invalid call are shown again.
      const isFinal = answer.errorCode === undefined ? isShown(attempt) : options.stream && attempt.hasSaid;
      if (isFinal || answers >= MAX_EMPTY_ANSWERS) return yield withoutAnswer(answer, call.names);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    throw mapModelError(error, call.names);
  } finally {
    request.abort();
  }
}

/** One answer under construction, in the names of the request. */
class Attempt {
  readonly #form: ProviderForm;
  readonly #aggregator = new StreamAggregator();
  /** A chunk had something to show, thoughts included. */
  hasShown = false;
  /** A chunk had something that is not a thought. */
  hasSaid = false;

  constructor(form: ProviderForm) {
    this.#form = form;
  }

  add(chunk: StreamChunk): LlmResponse | undefined {
    const partial = this.#aggregator.add(chunk);
    if (partial === undefined) return undefined;
    const restored = this.#form.restore(partial);
    const parts = restored.content?.parts ?? [];
    this.hasShown ||= !parts.every(isBare);
    this.hasSaid ||= !parts.every(isUnsaid);
    return restored;
  }

  finish(): LlmResponse {
    const answer = this.#form.restore(this.#aggregator.finish());
    return answer.errorCode === undefined ? answer : withoutBareParts(answer);
  }
}

/** A failed answer goes into the history too, where providers refuse parts without data. */
function withoutBareParts(answer: LlmResponse): LlmResponse {
  const { content, ...rest } = answer;
  const parts = content?.parts?.filter((part) => !isBare(part)) ?? [];
  if (parts.length === content?.parts?.length) return answer;
  const left: Content | undefined = parts.length === 0 ? undefined : { ...content, parts };
  return { ...rest, content: left };
}

/** Whether the model reports a normal end, or an invalid call, with neither text nor a call. */
function isEmpty({ content, errorCode }: LlmResponse): boolean {
  if (errorCode !== undefined && !REPEATED.has(errorCode)) return false;
  return (content?.parts ?? []).every(isUnsaid);
}

/** A thought, a signature or a blank text: nothing for the user. */
function isUnsaid(part: Part): boolean {
  return part.thought === true || (part.text === undefined ? isBare(part) : part.text.trim() === "");
}

/** Decorations without data. */
function isBare(part: Part): boolean {
  return Object.entries(part).every(
    ([key, value]) =>
      key === "thought" || key === "thoughtSignature" || key === "partMetadata" || (key === "text" && value === ""),
  );
}

function withoutAnswer(answer: LlmResponse, { provider }: ProviderNames): LlmResponse {
  if (answer.errorCode !== undefined) return answer;
  const errorMessage = `${provider} ended its answer without text and without a call.`;
  return { ...answer, errorCode: "MODEL_RETURNED_NO_CONTENT", errorMessage };
}
