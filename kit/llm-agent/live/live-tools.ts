import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses } from "#kit/events/event.ts";
import type { LiveCalls, StepContext } from "#kit/llm-agent/base/step-context.ts";
import { answeredQuestions } from "#kit/llm-agent/resume/answered-questions.ts";
import { executeTools } from "#kit/llm-agent/tool-calls/execute-tools.ts";
import { toToolResponse } from "#kit/llm-agent/tool-calls/tool-response.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { StreamMerge } from "#kit/platform/stream-merge.ts";
import { LiveInputStream } from "./live-input-stream.ts";
import type { LiveItem } from "./live-session.ts";
import { StopStreamingTool } from "./stop-streaming-tool.ts";

/** Streams of tools that run at the same time. */
const MAX_STREAMS = 16;

interface OpenCall {
  readonly name: string;
  readonly abort: AbortController;
}

/**
 * The tools of a live session. Calls run beside the conversation; a tool that returns a stream answers immediately, and
 * each of its values reaches the model as a text of the user. All of them end with the session, and a call or a stream
 * ends earlier if the model cancels it, or stops it with `stop_streaming`.
 */
export class LiveTools implements LiveCalls {
  readonly #items: StreamMerge<LiveItem>;
  readonly #over: AbortSignal;
  readonly #calls = new Map<string, OpenCall>();
  readonly #streams = new Map<string, OpenCall>();
  readonly #inputs = new Set<LiveInputStream>();
  readonly #cancelled = new Set<string>();
  #step: StepContext | undefined;

  constructor(items: StreamMerge<LiveItem>, over: AbortSignal) {
    this.#items = items;
    this.#over = over;
  }

  /** The step of the session, whose request declares `stop_streaming` if one of its tools may stream. */
  forStep(step: StepContext): StepContext {
    const { request, context } = step;
    if ([...request.tools.values()].some((tool) => tool.isStreaming))
      request.appendTools(new StopStreamingTool(this.#stop));
    const signal = AbortSignal.any([context.signal, this.#over]);
    this.#step = { ...step, context: context.forPart({ signal }), live: this };
    return step;
  }

  /** Runs the calls of the model's answer. */
  start(answer: Event): void {
    const step = this.#step;
    if (step === undefined) return;
    for (const { id = "", name = "" } of functionCalls(answer))
      this.#calls.set(id, { name, abort: new AbortController() });
    this.#items.add(callItems(executeTools(step, answer), (done) => this.#answered(done, answer)));
  }

  /** Runs the calls that the user's newest message is about: it answers questions. */
  resume(): void {
    const step = this.#step;
    if (step !== undefined) this.#items.add(callItems(answeredQuestions(step), reportLate));
  }

  /** The model does not need these calls any more: their signals are aborted, and their responses are not sent. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) {
      this.#cancelled.add(id);
      for (const open of [this.#calls.get(id), this.#streams.get(id)]) open?.abort.abort(cancelled());
    }
  }

  /** Passes the client's request to the tools that read the input. */
  pass(request: LiveRequest): void {
    for (const input of this.#inputs) input.push(request);
  }

  abortOf(callId: string | undefined): AbortSignal | undefined {
    return this.#calls.get(callId ?? "")?.abort.signal;
  }

  stream(call: { readonly id: string | undefined; readonly name: string }, values: AsyncIterable<unknown>): JsonObject {
    const { id = "", name } = call;
    if (this.#streams.size >= MAX_STREAMS) {
      void values[Symbol.asyncIterator]().return?.();
      return {
        error: `${MAX_STREAMS} streams of tools are open: stop one with stop_streaming before you start another.`,
      };
    }
    const open = this.#calls.get(id) ?? { name, abort: new AbortController() };
    this.#streams.set(id, open);
    this.#items.add(this.#streamItems(name, values, open.abort.signal, () => this.#streams.delete(id)));
    return { status: `${name} is running. Each of its results will follow as a message that names it.` };
  }

  input(signal: AbortSignal): AsyncIterable<LiveRequest> {
    const input = new LiveInputStream(AbortSignal.any([signal, this.#over]), () => this.#inputs.delete(input));
    this.#inputs.add(input);
    return input;
  }

  async *#streamItems(
    name: string,
    values: AsyncIterable<unknown>,
    stopped: AbortSignal,
    end: () => void,
  ): AsyncGenerator<LiveItem> {
    const signal = AbortSignal.any([stopped, this.#over]);
    const iterator = values[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await unlessAborted(iterator.next(), signal);
        if (next === undefined || next.done === true) return;
        const { response } = toToolResponse(next.value);
        yield { kind: "report", text: `Function ${name} returned: ${JSON.stringify(response)}` };
      }
    } catch (error) {
      if (!signal.aborted) yield { kind: "report", text: `Function ${name} failed: ${failureText(error)}` };
    } finally {
      end();
      void iterator.return?.().catch(() => {});
    }
  }

  /** Returns whether a stream of a function of this name was open. */
  readonly #stop = (name: string): boolean => {
    const running = [...this.#streams.values()].filter((open) => open.name === name);
    for (const { abort } of running) abort.abort(cancelled());
    return running.length > 0;
  };

  /** The responses without those that the model has cancelled, each with its tool's scheduling. */
  #answered(answer: Event | undefined, { content }: Event): LiveItem {
    for (const { id = "" } of functionCalls({ content })) this.#calls.delete(id);
    if (answer?.content === undefined) return { kind: "answered", answer };
    const parts = (answer.content.parts ?? [])
      .filter(({ functionResponse }) => !this.#cancelled.delete(functionResponse?.id ?? ""))
      .map((part) => this.#scheduled(part));
    const rest = parts.length === 0 ? undefined : { ...answer.content, parts };
    return { kind: "answered", answer: { ...answer, content: rest } };
  }

  #scheduled(part: Part): Part {
    const { functionResponse } = part;
    const scheduling = this.#step?.request.tools.get(functionResponse?.name ?? "")?.responseScheduling;
    if (functionResponse === undefined || scheduling === undefined) return part;
    return { ...part, functionResponse: { ...functionResponse, scheduling } };
  }
}

/** The events of the calls, and then the item for the event that answers them. */
async function* callItems(
  running: AsyncGenerator<Event, Event | undefined>,
  end: (answer: Event | undefined) => LiveItem | undefined,
): AsyncGenerator<LiveItem> {
  for (;;) {
    const { done, value } = await running.next();
    if (done !== true) yield { kind: "event", event: value };
    else {
      const item = end(value);
      if (item !== undefined) yield item;
      return;
    }
  }
}

/** The model has a response to these calls already: that they wait for the user. */
function reportLate(answer: Event | undefined): LiveItem | undefined {
  if (answer === undefined) return undefined;
  const results = functionResponses(answer).map(
    ({ name, response }) => `The user has answered the question about ${name}. Its result: ${JSON.stringify(response)}`,
  );
  return results.length === 0 ? undefined : { kind: "report", text: results.join("\n") };
}

function cancelled(): PlatformError {
  return new PlatformError("CALL_CANCELLED", "The model cancelled this call; whether it took effect is unknown.");
}

function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Undefined if the signal is aborted first. */
async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const abort = (): void => resolve(undefined);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
