import { estimateTokens } from "#kit/compaction/estimate-tokens.ts";
import type { EventSummarizer, SummaryRequest } from "#kit/compaction/event-summarizer.ts";
import { type PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection } from "#kit/models/base-llm-connection.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { type ModelProperties, withProperties } from "#kit/models/model-properties.ts";
import { CallUsage, estimatePrompt } from "./call-usage.ts";
import type { ReservedCall, RunBudget } from "./model-budget.ts";

export interface RunMeterOptions {
  readonly budget: RunBudget;
  /** Ends the run: the budget has no room for a call, or the call must not be made for another reason. */
  readonly end: (refusal: PlatformError) => void;
}

/** The data of a request that is known before it is sent. */
type Planned = Pick<LlmRequest, "model" | "config"> & { readonly promptTokens: number };

const MAX_PROMPT_RATIO = 10;
/** The name in prices for summaries of which no model is known. */
const UNKNOWN_MODEL = "unknown";

/**
 * Makes each call of one run's models wait for a part of the run's budget, and counts what the call has used, also if it
 * fails or is aborted. A refusal ends the run.
 */
export class RunMeter {
  readonly #options: RunMeterOptions;
  /** For the run's last prompt, the tokens that the model reported divided by the estimated ones. */
  #promptRatio = 1;

  constructor(options: RunMeterOptions) {
    this.#options = options;
  }

  /** The model with its calls metered. */
  readonly model = (model: BaseLlm): BaseLlm => ({
    model: model.model,
    properties: model.properties,
    generateContentAsync: (request, options) => this.#generate(model, request, options),
    connect:
      model.connect &&
      (async (request, options) => {
        const { model: resumed = request.model } = options.resumption ?? {};
        const planned = { ...planOf(request), model: resumed };
        const call = await this.#beginLive(planned, options.signal);
        try {
          const connection = await model.connect?.(request, options);
          if (connection === undefined) throw new Error("The model has no live connection.");
          return this.#connection(connection, planned, { call, signal: options.signal });
        } catch (error) {
          call.end();
          throw error;
        }
      }),
  });

  /** The summarizer with its calls metered. A refusal leaves the history unchanged: the run continues. */
  readonly summarizer = (summarizer: EventSummarizer): EventSummarizer => ({
    summarizeEvents: async (request) => {
      const { signal } = request;
      const promptTokens = tokensOfSummary(request);
      const model = summarizer.modelName ?? request.model?.model ?? UNKNOWN_MODEL;
      const call = new MeteredCall(await this.#options.budget.reserve({ model, promptTokens }, signal), promptTokens);
      call.endWith(signal, () => call.usage.abort());
      try {
        const summary = await summarizer.summarizeEvents(request);
        if (summary !== undefined) call.usage.add(summary);
        return summary;
      } finally {
        call.end();
      }
    },
  });

  async *#generate(
    model: BaseLlm,
    request: LlmRequest,
    options: GenerateOptions,
  ): AsyncGenerator<LlmResponse, void, undefined> {
    const { signal } = options;
    const call = await this.#begin(planOf(request, model.properties), signal);
    call.endWith(signal, () => call.usage.abort());
    try {
      for await (const response of model.generateContentAsync(request, options)) {
        call.usage.add(response);
        yield response;
      }
    } finally {
      call.end();
    }
  }

  /**
   * A live connection reports its usage from time to time: each report ends a call and begins the next one, and so does
   * a change to another model. Its last call ends with its responses, or when it is closed before they are read.
   */
  #connection(
    connection: BaseLlmConnection,
    planned: Planned,
    begun: { readonly call: MeteredCall; readonly signal: AbortSignal },
  ): BaseLlmConnection {
    let { model } = planned;
    const begin = () => this.#beginLive({ ...planned, model }, begun.signal);
    let isRead = false;
    return {
      resumed: connection.resumed,
      get unsettled() {
        return connection.unsettled;
      },
      sendHistory: (history, sending) => connection.sendHistory(history, sending),
      sendContent: (content, sending) => connection.sendContent(content, sending),
      sendRealtime: (input) => connection.sendRealtime(input),
      close: () => {
        if (!isRead) begun.call.end();
        return connection.close();
      },
      receive: async function* () {
        isRead = true;
        let { call } = begun;
        try {
          for await (const response of connection.receive()) {
            const { liveModelChange, usageMetadata } = response;
            const next = liveModelChange?.to ?? model;
            if (next !== model) {
              model = next;
              call.end();
              call = await begin();
            }
            call.usage.add(response);
            yield response;
            if (usageMetadata === undefined) continue;
            call.end();
            call = await begin();
          }
        } finally {
          call.end();
        }
      },
    };
  }

  /** Begins a metered call that ends with the connection at the latest: later responses are not counted. */
  async #beginLive(planned: Planned, signal: AbortSignal): Promise<MeteredCall> {
    const call = await this.#begin(planned, signal);
    call.endWith(signal);
    return call;
  }

  async #begin({ model, config, promptTokens }: Planned, signal: AbortSignal): Promise<MeteredCall> {
    const { budget, end } = this.#options;
    const { maxOutputTokens } = config;
    const expected = Math.ceil(promptTokens * this.#promptRatio);
    try {
      const reserved = await budget.reserve({ model, promptTokens: expected, maxOutputTokens }, signal);
      return new MeteredCall(reserved, expected, (reported) => {
        if (promptTokens > 0 && reported > 0)
          this.#promptRatio = Math.min(Math.max(reported / promptTokens, 1 / MAX_PROMPT_RATIO), MAX_PROMPT_RATIO);
      });
    } catch (error) {
      const refusal = toPlatformError(error);
      if (!signal.aborted) end(refusal);
      throw refusal;
    }
  }
}

class MeteredCall {
  readonly usage: CallUsage;
  readonly #reserved: ReservedCall;
  readonly #onPromptTokens: (reported: number) => void;
  #hasEnded = false;
  #release = (): void => {};

  constructor(reserved: ReservedCall, promptTokens: number, onPromptTokens: (reported: number) => void = () => {}) {
    this.usage = new CallUsage(promptTokens);
    this.#reserved = reserved;
    this.#onPromptTokens = onPromptTokens;
  }

  /** Ends the call when the signal is aborted: a model that ignores its signal may never return. */
  endWith(signal: AbortSignal, before: () => void = () => {}): void {
    const abort = (): void => {
      before();
      this.end();
    };
    // A call that is aborted before it is made has used nothing.
    if (signal.aborted) return this.end();
    signal.addEventListener("abort", abort, { once: true });
    this.#release = () => signal.removeEventListener("abort", abort);
  }

  /** Later calls have no effect. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#release();
    this.#reserved.settle(this.usage.used);
    const { reportedPromptTokens } = this.usage;
    if (typeof reportedPromptTokens === "number") this.#onPromptTokens(reportedPromptTokens);
  }
}

function planOf(request: LlmRequest, properties?: ModelProperties): Planned {
  const { model } = request;
  return { model, config: withProperties(request.config, properties), promptTokens: estimatePrompt(request) };
}

function tokensOfSummary({ previous, overlap, events }: SummaryRequest): number {
  let tokens = 0;
  for (const content of previous) tokens += estimateTokens(content);
  for (const { content } of [...overlap, ...events]) tokens += estimateTokens(content);
  return Math.ceil(tokens);
}
