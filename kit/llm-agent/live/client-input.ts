import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { credentialAnswerRefused } from "#kit/core/context/live-request-queue.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { type Event, functionCalls, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { createEventActions } from "#kit/events/event-actions.ts";
import { CREDENTIAL_CALL, isReservedCall } from "#kit/events/reserved-calls.ts";
import type { RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LiveSession } from "./live-session.ts";
import type { LiveTools } from "./live-tools.ts";
import type { ModelOutput } from "./model-output.ts";
import { blockedEvent, screenContent } from "./screen-content.ts";
import type { SentInputs } from "./sent-inputs.ts";

/** Parts that a client may send before it completes its turn. */
const MAX_OPEN_PARTS = 10_000;

interface InputPlace {
  readonly inputs: SentInputs;
  readonly output: ModelOutput;
  readonly tools: LiveTools;
}

/**
 * Passes the client's requests to the model. Complete turns and state changes become stored events; media, signals and
 * answers to calls do not. A recovered run gets requests again whose events are stored: they are skipped.
 */
export class ClientInput {
  readonly #session: LiveSession;
  readonly #place: InputPlace;
  /** The parts of the turn that is not complete. */
  #open: Part[] = [];

  constructor(session: LiveSession, place: InputPlace) {
    this.#session = session;
    this.#place = place;
  }

  /**
   * Handles the queue's next request. If the queue is closed and empty, the connection is closed. Returns a promise for a
   * request that makes no event: most are media, at fifty a second.
   */
  next(): Promise<void> | AsyncGenerator<Event, void, undefined> {
    const { queue, connection } = this.#session;
    const { tools, output } = this.#place;
    const request = queue.take();
    if (request === undefined) return queue.isClosed ? connection.close() : Promise.resolve();
    tools.pass(request);
    const realtime = realtimeOf(request);
    const makesEvent = realtime === undefined || request.stateDelta !== undefined || output.isRecording;
    return makesEvent ? this.#events(request, realtime) : this.#pass(realtime);
  }

  async #pass(realtime: RealtimeInput): Promise<void> {
    const { connection, queue } = this.#session;
    const { inputs } = this.#place;
    await connection.sendRealtime(realtime);
    inputs.sent(queue.taken);
    inputs.handled();
  }

  async *#events(request: LiveRequest, realtime: RealtimeInput | undefined): AsyncGenerator<Event, void, undefined> {
    const { inputs } = this.#place;
    const takesContent = realtime === undefined && request.content !== undefined;
    if (request.stateDelta !== undefined && !(takesContent && isTurn(request))) yield* this.#state(request);
    if (realtime !== undefined) yield* this.#sendRealtime(realtime);
    else if (request.content !== undefined) yield* this.#content(request.content, request);
    inputs.handled();
  }

  async *#sendRealtime(input: RealtimeInput): AsyncGenerator<Event> {
    const { connection, queue } = this.#session;
    const { inputs, output } = this.#place;
    await connection.sendRealtime(input);
    inputs.sent(queue.taken);
    if ("blob" in input) yield* output.record(input.blob);
  }

  async *#content(content: Content, request: LiveRequest): AsyncGenerator<Event> {
    const answered = functionResponses({ content });
    if (answered.length > 0) return yield* this.#answers(content);
    const { step } = this.#session;
    if (request.partial !== true) {
      const event = this.#turn(content, request);
      if (this.#isStored(event)) return;
      yield event;
    }
    const blocked = await screenContent(step, content);
    if (blocked !== undefined) return yield blockedEvent(step, blocked);
    await this.#send(content, request.partial === true);
  }

  /** The event of the user's complete turn, with the parts that were sent before. */
  #turn(content: Content, { stateDelta }: LiveRequest): Event {
    const { context } = this.#session.step;
    const parts = [...this.#open, ...(content.parts ?? [])];
    const isWhole = this.#open.length === 0;
    this.#open = [];
    return context.createEvent({
      id: this.#eventId,
      author: USER_AUTHOR,
      content: { ...content, role: "user", ...(!isWhole && { parts }) },
      actions: stateDelta && createEventActions({ stateDelta }),
    });
  }

  async #send(content: Content, isPartial: boolean): Promise<void> {
    const { connection, queue } = this.#session;
    const { inputs } = this.#place;
    if (isPartial) {
      if (this.#open.length < MAX_OPEN_PARTS) this.#open.push(...(content.parts ?? []));
      await connection.sendContent(content, { turnComplete: false });
      inputs.sent(queue.taken);
    } else {
      await connection.sendContent(content);
      inputs.sent();
    }
  }

  *#state({ stateDelta }: LiveRequest): Generator<Event> {
    const { context } = this.#session.step;
    const actions = createEventActions({ stateDelta });
    const event = context.createEvent({ id: this.#eventId, author: USER_AUTHOR, actions });
    if (!this.#isStored(event)) yield event;
  }

  /** Answers to questions of the framework run the calls that they are about; the model gets all other answers. */
  async *#answers(content: Content): AsyncGenerator<Event> {
    const { step, connection } = this.#session;
    const { inputs, tools } = this.#place;
    const { context } = step;
    const ids = new Set(functionResponses({ content }).flatMap(({ id }) => id ?? []));
    const asked = context.session.events.flatMap(functionCalls).filter(({ id }) => id !== undefined && ids.has(id));
    if (asked.some(({ name }) => name === CREDENTIAL_CALL)) throw credentialAnswerRefused();
    if (asked.length === 0) {
      await connection.sendContent(content);
      return inputs.sent(this.#session.queue.taken);
    }
    const event = context.createEvent({
      id: this.#eventId,
      author: USER_AUTHOR,
      content: { ...content, role: "user" },
    });
    if (this.#isStored(event)) return;
    yield event;
    if (asked.some(({ name }) => isReservedCall(name))) return tools.resume();
    await connection.sendContent(content);
    inputs.sent();
  }

  /** The same for the same request, so that a runner that gets the request again finds its event. */
  get #eventId(): string {
    const { queue, step } = this.#session;
    return `${step.context.invocationId}-in-${queue.taken}`;
  }

  #isStored({ id }: Event): boolean {
    const { context } = this.#session.step;
    return context.isRecovered && context.session.events.some((event) => event.id === id);
  }
}

/** Whether the request completes a turn of the user. */
function isTurn({ content, partial }: LiveRequest): boolean {
  return content !== undefined && partial !== true && functionResponses({ content }).length === 0;
}

function realtimeOf({ activityStart, activityEnd, audioStreamEnd, blob }: LiveRequest): RealtimeInput | undefined {
  if (activityStart === true) return { activityStart };
  if (activityEnd === true) return { activityEnd };
  if (audioStreamEnd === true) return { audioStreamEnd };
  return blob && { blob };
}
