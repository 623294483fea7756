import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, Part } from "#kit/events/content.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import type { BaseLlmConnection, ConnectOptions } from "#kit/models/base-llm-connection.ts";
import { ModelError } from "#kit/models/error-mapper.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import type { LiveInput, LiveListener, LiveProvider, LiveSession } from "./live-session.ts";
import { ResumableConnection } from "./resumable-connection.ts";

/** Options of `LiveFallback`. */
export interface LiveFallbackOptions {
  /** Waits between attempts after several models in a row have failed. */
  readonly sleep?: Sleep | undefined;
}

/**
 * A list of live models that is a model: the conversation begins with the first one. When a model fails for good, is at
 * a limit or cannot continue its session, the next one gets the conversation as text and continues it; after the last
 * one the first one is tried again. A response with `liveModelChange` names both models. Calls of `generateContentAsync`
 * go to the first model. Throws `INVALID_FIELD` for an empty list.
 *
 * @example
 * ```ts
 * import { LlmAgent } from "fairlead/kit";
 * import { Gemini, LiveFallback, OpenAiCompatible } from "fairlead/models";
 *
 * const model = new LiveFallback([
 *   new Gemini({ model: "gemini-3.8-live" }),
 *   new OpenAiCompatible({ model: "gpt-realtime-2.1" }),
 * ]);
 *
 * export const agent = new LlmAgent({ name: "desk", model, instruction: "Answer calls." });
 * ```
 */
export class LiveFallback implements BaseLlm {
  readonly model: string;
  readonly #models: readonly BaseLlm[];
  readonly #first: BaseLlm;
  readonly #options: LiveFallbackOptions;

  constructor(models: readonly BaseLlm[], options: LiveFallbackOptions = {}) {
    const [first] = models;
    if (first === undefined)
      throw new PlatformError("INVALID_FIELD", "new LiveFallback: models is empty. Give at least one live model.", {
        details: { field: "models" },
      });
    this.model = first.model;
    this.#first = first;
    this.#models = [...models];
    this.#options = options;
  }

  assertConfigured(): void {
    for (const model of this.#models) model.assertConfigured?.();
  }

  generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncIterable<LlmResponse> {
    return this.#first.generateContentAsync(request, options);
  }

  connect(request: LlmRequest, options: ConnectOptions): Promise<BaseLlmConnection> {
    const { resumption, signal } = options;
    const provider = new ModelList(this.#models, request, options);
    const { sleep } = this.#options;
    // Each model has its own attempts.
    const maxFailures = this.#models.length;
    return ResumableConnection.open(
      { provider, history: request.contents, resumption, signal },
      { sleep, maxFailures },
    );
  }
}

/** The models as the sessions of one conversation: each connection of a model is a session. */
class ModelList implements LiveProvider {
  readonly #models: readonly BaseLlm[];
  readonly #request: LlmRequest;
  readonly #options: ConnectOptions;
  #index: number;
  /** The model has a connection, which does not continue the session of the handle. */
  #notResumed: Error | undefined;

  constructor(models: readonly BaseLlm[], request: LlmRequest, options: ConnectOptions) {
    this.#models = models;
    this.#request = request;
    this.#options = options;
    const known = models.findIndex(({ model }) => model === options.resumption?.model);
    this.#index = Math.max(known, 0);
  }

  get model(): string {
    return this.#current.model;
  }

  isFinal(error: Error): boolean {
    return error === this.#notResumed;
  }

  /** Each model's connection checks its input. */
  check(): void {}

  async open({ handle, listener, signal }: Parameters<LiveProvider["open"]>[0]): Promise<LiveSession> {
    const index = this.#index;
    const model = this.#current;
    const { config, resumption } = this.#options;
    if (handle !== undefined && resumption?.model !== model.model) throw this.#withoutHandle();
    try {
      if (model.connect === undefined)
        throw new PlatformError("LIVE_NOT_SUPPORTED", `The model ${model.model} has no live connection.`);
      const request = requestFor(model, this.#request);
      const given = handle === undefined ? undefined : { handle, model: model.model };
      const connection = await model.connect(request, { config, signal, ...(given && { resumption: given }) });
      if (handle === undefined || connection.resumed === true)
        return new ConnectionSession(connection, listener, () => this.#leave(index));
      await connection.close();
    } catch (error) {
      this.#leave(index);
      throw error;
    }
    throw this.#withoutHandle();
  }

  get #current(): BaseLlm {
    // The index is within the list, which is not empty.
    return this.#models[this.#index] as BaseLlm;
  }

  #leave(index: number): void {
    if (index === this.#index) this.#index = (index + 1) % this.#models.length;
  }

  #withoutHandle(): Error {
    this.#notResumed = new ModelError("CLIENT_ERROR", "The live session cannot be continued.");
    return this.#notResumed;
  }
}

function requestFor({ model }: BaseLlm, request: LlmRequest): LlmRequest {
  const { contents, config } = request;
  const own = new LlmRequest({ model, contents, config });
  own.appendInstructions(...request.systemInstructions);
  own.appendTools(...request.tools.values());
  return own;
}

class ConnectionSession implements LiveSession {
  readonly #connection: BaseLlmConnection;
  readonly #listener: LiveListener;
  readonly #leave: () => void;
  #isOver = false;

  constructor(connection: BaseLlmConnection, listener: LiveListener, leave: () => void) {
    this.#connection = connection;
    this.#listener = listener;
    this.#leave = leave;
  }

  get unsettled(): number | undefined {
    return this.#connection.unsettled;
  }

  begin(): void {
    void this.#read();
  }

  send(input: LiveInput, { asTurn }: { readonly asTurn: boolean }): Promise<void> {
    if (input.kind === "realtime") return this.#connection.sendRealtime(input.input);
    if (input.kind === "history") return this.#connection.sendHistory(input.history);
    const content = asTurn ? asText(input.content) : input.content;
    return this.#connection.sendContent(content, { turnComplete: input.turnComplete });
  }

  replay(history: readonly Content[], { answer }: { readonly answer: boolean }): Promise<void> {
    return this.#connection.sendHistory(history.map(asText), { turnComplete: answer });
  }

  flush(): readonly LlmResponse[] {
    return [];
  }

  close(): void {
    this.#isOver = true;
    // It ends itself.
    void this.#connection.close().catch(() => {});
  }

  async #read(): Promise<void> {
    let failure: Error = new ModelError("CONNECTION_LOST", "The live model has ended its connection.");
    try {
      for await (const response of this.#connection.receive()) {
        if (this.#isOver) return;
        this.#listener.received(response);
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error), { cause: error });
    }
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    this.#listener.ended(failure);
  }
}

/** Calls and results as text: another provider does not know their ids, and refuses a call without a result. */
function asText(content: Content): Content {
  const { parts = [] } = content;
  if (!parts.some(isCall)) return content;
  return { ...content, parts: parts.map(callAsText) };
}

function isCall({ functionCall, functionResponse }: Part): boolean {
  return functionCall !== undefined || functionResponse !== undefined;
}

function callAsText(part: Part): Part {
  const { functionCall, functionResponse } = part;
  if (functionCall !== undefined)
    return { text: `[Called ${functionCall.name}: ${JSON.stringify(functionCall.args ?? {})}]` };
  if (functionResponse === undefined) return part;
  return { text: `[${functionResponse.name} returned: ${JSON.stringify(functionResponse.response ?? {})}]` };
}
