import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { userContent } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { onModelError } from "#kit/llm-agent/model-call/model-callbacks.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { StreamMerge } from "#kit/platform/stream-merge.ts";
import { ClientInput } from "./client-input.ts";
import type { LiveEnd, LiveItem, LiveSession } from "./live-session.ts";
import type { LiveTools } from "./live-tools.ts";
import { ModelOutput } from "./model-output.ts";
import type { ResumptionHandle } from "./resumption-handle.ts";
import { SentInputs } from "./sent-inputs.ts";
import { completesTask } from "./task-completed-tool.ts";

/** How long the model may finish its sentence before another agent continues. */
const LEAVE_MS = 1000;

export interface LiveTalkParts {
  readonly items: StreamMerge<LiveItem>;
  readonly tools: LiveTools;
  readonly handle: ResumptionHandle;
}

/** The conversation in one live session: what the client, the model and the tools do, in the order of arrival. */
export class LiveTalk {
  readonly #session: LiveSession;
  readonly #parts: LiveTalkParts;
  readonly #inputs: SentInputs;
  readonly #output: ModelOutput;
  readonly #client: ClientInput;
  /** A tool has ended the session: the client's requests are left for the next agent. */
  #leaving: LiveEnd | undefined;
  #end: LiveEnd | undefined;
  /** The model that the session has now. */
  #model: string;

  constructor(session: LiveSession, parts: LiveTalkParts) {
    const { step, queue, connection, span } = session;
    this.#session = session;
    this.#model = step.request.model;
    this.#parts = parts;
    this.#inputs = new SentInputs(queue, connection);
    this.#output = new ModelOutput(step, span);
    this.#client = new ClientInput(session, { inputs: this.#inputs, output: this.#output, tools: parts.tools });
  }

  /** Until the model's side ends, a tool transfers, or a callback blocks the model's answer. */
  async *run(): AsyncGenerator<Event, LiveEnd, undefined> {
    const { items } = this.#parts;
    items.add(clientItems(this.#session));
    items.add(modelItems(this.#session));
    for (;;) {
      const item = await items.next();
      this.#session.step.context.signal.throwIfAborted();
      if (item === undefined) return { kind: "ended" };
      const done = this.#handleMedia(item);
      if (done instanceof Promise) await done;
      else if (done === undefined) yield* this.#handle(item);
      else if ("next" in done) yield* done;
      else yield done;
      if (this.#end !== undefined) return this.#end;
    }
  }

  /** Most items are media of both sides, which need no generator of their own. Returns undefined for others. */
  #handleMedia(item: LiveItem): ReturnType<ClientInput["next"]> | Event | undefined {
    if (item.kind === "client") return this.#leaving === undefined ? this.#client.next() : undefined;
    return item.kind === "model" && item.response !== undefined ? this.#output.chunk(item.response) : undefined;
  }

  async *#handle(item: LiveItem): AsyncGenerator<Event> {
    switch (item.kind) {
      case "client":
        // Left for the next agent.
        return;
      case "model":
        return yield* this.#fromModel(item.response);
      case "failed":
        return yield* this.#failed(item.error);
      case "event":
        return yield item.event;
      case "answered":
        return yield* this.#answered(item.answer);
      case "report":
        return yield* this.#report(item.text);
      case "left":
        return yield* this.#leave();
      default:
        return item satisfies never;
    }
  }

  async *#fromModel(response: LlmResponse | undefined): AsyncGenerator<Event> {
    if (response === undefined) {
      yield* this.#output.flush();
      this.#end = this.#leaving ?? { kind: "ended" };
      return;
    }
    const { tools } = this.#parts;
    this.#keepHandle(response);
    if (response.cancelledCallIds !== undefined) tools.cancel(response.cancelledCallIds);
    for await (const event of this.#output.events(response)) {
      yield event;
      if (event.partial === true || functionCalls(event).length === 0) continue;
      await this.#session.step.context.persisted();
      // The model has handed the conversation over: it must not act any more.
      if (this.#leaving === undefined) tools.start(event);
    }
    if (response.turnComplete === true) this.#settleTurn();
    if (this.#output.isBlocked) this.#end = { kind: "blocked" };
    else if (this.#leaving !== undefined && !this.#output.isSpeaking) yield* this.#leave();
  }

  /** Callbacks may answer for a model that has failed; the session ends in any case. */
  async *#failed(error: unknown): AsyncGenerator<Event> {
    const { step } = this.#session;
    const { context } = step;
    const thrown = error instanceof Error ? error : new Error(String(error), { cause: error });
    const callbacks = new CallbackContext(context, undefined, context.services.ids.next());
    const response = await onModelError(step, callbacks, thrown);
    if (response === undefined) throw thrown;
    yield* this.#output.events(response);
  }

  /** The turn's events are stored, so that its input is not needed again, unless only the newest handle covers it. */
  #settleTurn(): void {
    if (!this.#parts.handle.isWriting) this.#inputs.store(this.#inputs.covered);
  }

  #keepHandle({ liveSessionResumptionUpdate: update, liveModelChange }: LlmResponse): void {
    this.#model = liveModelChange?.to ?? this.#model;
    if (update?.newHandle === undefined || update.resumable === false) return;
    const { step } = this.#session;
    const { covered } = this.#inputs;
    const afterEventId = step.context.session.events.at(-1)?.id;
    this.#parts.handle.save({ handle: update.newHandle, model: this.#model, afterEventId }, () =>
      this.#inputs.store(covered),
    );
  }

  async *#answered(answer: Event | undefined): AsyncGenerator<Event> {
    const target = answer?.actions.transferToAgent;
    if (target !== undefined) return yield* this.#leaveFor({ kind: "transferred", target });
    if (answer?.content === undefined) return;
    if (completesTask(answer)) return yield* this.#leaveFor({ kind: "ended" });
    await this.#session.connection.sendContent(answer.content);
    this.#inputs.sent();
  }

  /** The model may finish its sentence. */
  async *#leaveFor(end: LiveEnd): AsyncGenerator<Event> {
    this.#leaving = end;
    if (!this.#output.isSpeaking) return yield* this.#leave();
    this.#parts.items.add(leaveLater(this.#session.over));
  }

  /** Stored, so that the history shows why the model says what it says. */
  async *#report(text: string): AsyncGenerator<Event> {
    const content = userContent(text);
    yield this.#session.step.context.createEvent({ content });
    if (this.#leaving !== undefined) return;
    await this.#session.connection.sendContent(content);
    this.#inputs.sent();
  }

  async *#leave(): AsyncGenerator<Event> {
    if (this.#leaving === undefined) return;
    yield* this.#output.flush();
    this.#end = this.#leaving;
  }
}

async function* clientItems({ queue, step, over }: LiveSession): AsyncGenerator<LiveItem> {
  const signal = AbortSignal.any([step.context.signal, over]);
  for (;;) {
    let hasMore: boolean;
    try {
      hasMore = await queue.arrives(signal);
    } catch (error) {
      // This session is over: the next one reads the queue. An abort of the run is an error.
      if (over.aborted) return;
      throw error;
    }
    yield { kind: "client" };
    if (!hasMore) return;
  }
}

async function* modelItems({ connection }: LiveSession): AsyncGenerator<LiveItem> {
  try {
    for await (const response of connection.receive()) yield { kind: "model", response };
  } catch (error) {
    yield { kind: "failed", error };
  }
  yield { kind: "model", response: undefined };
}

async function* leaveLater(over: AbortSignal): AsyncGenerator<LiveItem> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LEAVE_MS);
  over.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  yield { kind: "left" };
}
