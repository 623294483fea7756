import { modelContent } from "../events/content.ts";
import type { BaseLlm, GenerateOptions } from "../models/base-llm.ts";
import type { DeclaredTool, LlmRequest } from "../models/llm-request.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { JsonObject } from "../platform/json.ts";
import { type RecordedRequest, recordRequest } from "./recorded-request.ts";
import { type LiveTurn, ScriptedConnection } from "./scripted-connection.ts";

/**
 * The answer of one step: a text, a response, the responses of a stream in order (promises in the list let a test pause
 * the stream), or a failure.
 */
export type ScriptedAnswer = string | LlmResponse | Error | readonly ScriptedItem[];
/** One response of a streamed answer; an error is thrown, and a promise is awaited and yields nothing. */
export type ScriptedItem = LlmResponse | Error | Promise<unknown>;

/** One call of the model: an answer, or a function that returns one. */
export type ScriptedStep =
  | ScriptedAnswer
  | ((request: LlmRequest, options: GenerateOptions) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Options of a `ScriptedModel`. */
export interface ScriptedModelOptions {
  readonly model?: string;
  /** Answers calls after the last step with that step instead of a failure. */
  readonly repeatLast?: boolean;
  readonly supportsOutputSchemaWithTools?: boolean;
  /** The answers of live connections, turn by turn, each connection from the start; absent: the model has none. */
  readonly live?: readonly LiveTurn[];
  /** Ends a live connection after its last turn. */
  readonly hangsUp?: boolean;
}

/**
 * A model for tests: answers each call with the next step and records the requests. Only streaming calls yield partial
 * responses. A promise in a list is awaited before the rest, and the wait ends when the call is aborted. A call after
 * the last step throws an `Error`, unless `repeatLast` is set.
 *
 * @example
 * ```ts
 * import { LlmAgent } from "fairlead/kit";
 * import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
 *
 * const model = new ScriptedModel([functionCallResponse("roll_die", { sides: 6 }), "You rolled a four."]);
 *
 * export const agent = new LlmAgent({ name: "dice", model, instruction: "Roll dice." });
 * ```
 */
export class ScriptedModel implements BaseLlm {
  readonly model: string;
  readonly supportsOutputSchemaWithTools: boolean;
  readonly requests: RecordedRequest[] = [];
  readonly connections: ScriptedConnection[] = [];
  readonly connect?: NonNullable<BaseLlm["connect"]>;
  readonly #steps: readonly ScriptedStep[];
  readonly #repeatLast: boolean;

  constructor(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}) {
    this.#steps = steps;
    this.model = options.model ?? "scripted";
    this.#repeatLast = options.repeatLast ?? false;
    this.supportsOutputSchemaWithTools = options.supportsOutputSchemaWithTools ?? false;
    const { live, hangsUp = false } = options;
    if (live === undefined) return;
    this.connect = async (request, connectOptions) => {
      const connection = new ScriptedConnection(live, connectOptions, {
        request: recordRequest(request, { stream: true, signal: connectOptions.signal }),
        hangsUp,
      });
      this.connections.push(connection);
      return connection;
    };
  }

  get callCount(): number {
    return this.requests.length;
  }

  async *generateContentAsync(request: LlmRequest<DeclaredTool>, options: GenerateOptions): AsyncIterable<LlmResponse> {
    const index = this.requests.length;
    this.requests.push(recordRequest(request, options));
    options.signal.throwIfAborted();
    const step = this.#steps[index] ?? (this.#repeatLast ? this.#steps.at(-1) : undefined);
    if (step === undefined)
      throw new Error(`ScriptedModel has ${this.#steps.length} steps and was called ${index + 1} times.`);
    const answer =
      typeof step === "function" ? await untilAborted(Promise.resolve(step(request, options)), options.signal) : step;
    for (const item of itemsOf(answer)) {
      if (item instanceof Promise) await untilAborted(item, options.signal);
      else if (item instanceof Error) throw item;
      else if (options.stream || item.partial !== true) yield item;
      options.signal.throwIfAborted();
    }
  }
}

/** A text as partial responses and then the complete one, in the form of a streaming model. */
export function streamedText(...chunks: readonly string[]): readonly LlmResponse[] {
  const partials = chunks.map((chunk) => ({ content: modelContent(chunk), partial: true }));
  return [...partials, { content: modelContent(chunks.join("")) }];
}

/** A response that calls a function. */
export function functionCallResponse(name: string, args: JsonObject = {}, id?: string): LlmResponse {
  return { content: { role: "model", parts: [{ functionCall: { name, args, id } }] } };
}

function itemsOf(answer: ScriptedAnswer): readonly ScriptedItem[] {
  if (typeof answer === "string") return [{ content: modelContent(answer) }];
  return isList(answer) ? answer : [answer];
}

function isList(answer: LlmResponse | Error | readonly ScriptedItem[]): answer is readonly ScriptedItem[] {
  return Array.isArray(answer);
}

async function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
