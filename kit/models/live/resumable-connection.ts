import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { BaseLlmConnection, LiveResumption, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { CallOrigins } from "./call-origins.ts";
import { ConversationLog } from "./conversation-log.ts";
import { HeldInput } from "./held-input.ts";
import type { LiveConversation, LiveInput, LiveListener, LiveProvider, LiveSession } from "./live-session.ts";
import { ResponseQueue } from "./response-queue.ts";
import { SaidResponses } from "./said-responses.ts";
import { SentTimes } from "./sent-times.ts";
import { type LiveHandle, type OpenerOptions, SessionOpener } from "./session-opener.ts";
import { endsWithUser, TurnState } from "./turn-state.ts";

/** On the way and in the provider's queue. Sound of this length may be heard twice after a break, and is never lost. */
const LAG_MS = 1000;
/** A session that lives this long works, even if the provider has nothing to say. */
const WORKS_AFTER_MS = 5000;
/** The time to open the next session before the provider ends the present one. */
const SWITCH_MARGIN_MS = 2000;

/** How a live connection outlives its sessions. */
export interface ResumableOptions extends OpenerOptions {
  /** Providers that do not report what they have processed are assumed to have processed what is older. */
  readonly lagMs?: number | undefined;
  readonly maxHeldMediaBytes?: number | undefined;
}

/** The last inputs that an answer can be about. */
type Reach = { readonly turn: number; readonly media: number };

interface Slot {
  session: LiveSession | undefined;
  /** The session continues another one by this handle; undefined for a new session. */
  handle: LiveHandle | undefined;
  readonly sent: SentTimes;
  /** The number of the history that it was given: a handle without it would lose the history. */
  baseline: number;
  /** The last input that its answers show to have arrived. */
  reached: number;
  isOver: boolean;
  works: boolean;
}

/**
 * A live connection that continues when a session of the provider ends: with its handle if there is one, else with the
 * conversation as text. Input that the provider may not have processed is kept and sent again.
 */
export class ResumableConnection implements BaseLlmConnection {
  readonly #provider: LiveProvider;
  readonly #opener: SessionOpener;
  readonly #clock: Clock;
  readonly #lagMs: number;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #queue = new ResponseQueue();
  readonly #held: HeldInput;
  readonly #log = new ConversationLog();
  readonly #turn = new TurnState();
  readonly #calls = new CallOrigins<Slot>();
  #history: readonly Content[];
  #model: string;
  #resumed = false;
  #sequence = 0;
  #current: Slot | undefined;
  /** Waits for the end of a turn. */
  #next: Slot | undefined;
  #isReplacing = false;
  #leaving: { readonly reason: string; readonly timer: NodeJS.Timeout } | undefined;
  #reason = "MODEL_UNAVAILABLE";
  #answered: Reach | undefined;
  /** Complete responses of the turn in progress. */
  readonly #said = new SaidResponses();
  #worksTimer: NodeJS.Timeout | undefined;

  /** Resolves when the first session is open. Throws a `PlatformError` with a `MODEL_…` reason. */
  static async open(conversation: LiveConversation, options: ResumableOptions = {}): Promise<ResumableConnection> {
    const connection = new ResumableConnection(conversation, options);
    try {
      await connection.#openFirst(conversation.resumption);
    } catch (error) {
      connection.#finish();
      throw error;
    }
    return connection;
  }

  private constructor({ provider, history, signal }: LiveConversation, options: ResumableOptions) {
    this.#provider = provider;
    this.#model = provider.model;
    this.#history = history;
    this.#clock = options.clock ?? systemClock;
    this.#lagMs = options.lagMs ?? LAG_MS;
    this.#held = new HeldInput(options.maxHeldMediaBytes);
    this.#signal = AbortSignal.any([signal, this.#closing.signal]);
    this.#opener = new SessionOpener(provider, this.#signal, options);
    this.#signal.addEventListener("abort", () => this.#finish(), { once: true });
  }

  get resumed(): boolean {
    return this.#resumed;
  }

  get unsettled(): number {
    return Math.min(this.#held.size, this.#current?.session?.unsettled ?? Number.POSITIVE_INFINITY);
  }

  async sendHistory(
    history: readonly Content[],
    { turnComplete = true }: { readonly turnComplete?: boolean } = {},
  ): Promise<void> {
    // A resumed connection gets the part after its handle only.
    if (!this.#resumed) this.#history = history;
    const sequence = this.#number();
    if (turnComplete && endsWithUser(history)) await this.#send({ sequence, kind: "history", history });
    else if (this.#current !== undefined) await this.#replay(this.#current, history, { sequence, answer: false });
  }

  async sendContent(
    content: Content,
    { turnComplete = true }: { readonly turnComplete?: boolean } = {},
  ): Promise<void> {
    await this.#send({ sequence: this.#number(), kind: "content", content, turnComplete });
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    await this.#send({ sequence: this.#number(), kind: "realtime", input });
  }

  receive(): AsyncIterable<LlmResponse> {
    return this.#queue.read();
  }

  async close(): Promise<void> {
    this.#closing.abort(new PlatformError("LIVE_NOT_SUPPORTED", "The live connection is closed."));
    this.#finish();
  }

  async #openFirst(resumption: LiveResumption | undefined): Promise<void> {
    if (resumption !== undefined && resumption.model === this.#provider.model)
      this.#opener.handle = { text: resumption.handle, position: 0 };
    const slot = await this.#openSlot();
    this.#resumed = slot.handle !== undefined;
    this.#model = this.#provider.model;
    // The history is the first input.
    if (!this.#resumed && this.#hasPast()) slot.baseline = 1;
    this.#install(slot);
    slot.session?.begin();
  }

  #number(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  #send(input: LiveInput): Promise<void> | void {
    if (this.#signal.aborted) return;
    this.#provider.check(input);
    this.#held.add(input);
    this.#turn.sent(input);
    try {
      return this.#transmit(this.#current, input);
    } catch (error) {
      // Another session would not take it either.
      this.#held.forget(input);
      throw error;
    }
  }

  #transmit(slot: Slot | undefined, input: LiveInput): Promise<void> | void {
    if (slot?.session === undefined || slot.isOver) return;
    slot.sent.note(input.sequence);
    const known = slot.handle?.position ?? 0;
    const asTurn = input.kind === "content" && this.#calls.areUnknown(input.content, slot, known);
    return slot.session.send(input, { asTurn });
  }

  #listenerOf(slot: Slot): LiveListener {
    const isCurrent = (): boolean => slot === this.#current && !slot.isOver;
    return {
      received: (response, late) => isCurrent() && this.#received(slot, response, late),
      alive: () => isCurrent() && this.#markWorking(slot),
      resumable: (handle, consumed) => isCurrent() && this.#keepHandle(slot, handle, consumed),
      consumed: (sequence) => isCurrent() && this.#held.consumeMedia(sequence),
      leaving: (withinMs, reason) => isCurrent() && this.#leave(withinMs, reason),
      ended: (error) => this.#ended(slot, error),
    };
  }

  #markWorking(slot: Slot): void {
    if (slot.works) return;
    slot.works = true;
    this.#opener.works();
  }

  #received(slot: Slot, response: LlmResponse, late: Parameters<LiveListener["received"]>[1]): void {
    const step = this.#turn.received(response);
    // A handle or a notice can come from a session that fails at its first answer.
    if (step !== "none" || response.inputTranscription !== undefined) this.#markWorking(slot);
    if (step === "begins") this.#answered = this.#reached(slot);
    if (late === "after-turn") this.#log.addResponse(response, { late: true });
    else if (!this.#said.add(response, late === "in-turn")) return this.#fail(SaidResponses.error());
    this.#queue.push(response);
    if (step !== "ends") return;
    // A bare end of the turn says nothing of newer input.
    const isAnswer = response.content !== undefined || response.outputTranscription !== undefined;
    const reached = this.#answered ?? (isAnswer ? this.#reached(slot) : { turn: 0, media: 0 });
    slot.reached = Math.max(slot.reached, reached.turn);
    for (const content of this.#held.consumeTurns(reached.turn)) this.#log.add(content);
    this.#held.consumeMedia(reached.media);
    this.#answered = undefined;
    for (const said of this.#said.take()) this.#log.addResponse(said);
    this.#calls.note(response, slot, this.#log.position);
    this.#replaceWhenIdle();
  }

  /** The last input that the model has taken if it answers now: a turn is answered at any speed, media takes its time. */
  #reached(slot: Slot): Reach {
    const media = slot.sent.settled();
    return { turn: Math.max(this.#held.firstTurn, media), media };
  }

  #keepHandle(slot: Slot, text: string, consumed: number | undefined): boolean {
    // The next session is being opened with the handle before: what that one does not include must be kept.
    if (this.#isReplacing || this.#next !== undefined) return false;
    const reached = consumed ?? slot.sent.settled();
    if (Math.max(reached, slot.reached) < slot.baseline) return false;
    // A turn without an answer is sent again: who knows whether a continued session answers it.
    this.#held.consumeMedia(reached);
    this.#opener.handle = { text, position: this.#log.position };
    return true;
  }

  #leave(withinMs: number, reason: string): void {
    if (this.#leaving !== undefined) return;
    const timer = setTimeout(() => void this.#replace({ now: true }), Math.max(0, withinMs - SWITCH_MARGIN_MS));
    timer.unref();
    this.#leaving = { reason, timer };
    this.#replaceWhenIdle();
  }

  #replaceWhenIdle(): void {
    if (this.#leaving !== undefined && this.#turn.isIdle) void this.#replace({ now: false });
  }

  /** Opens the next session beside the present one. `now`: an answer in progress is cut. */
  async #replace({ now }: { readonly now: boolean }): Promise<void> {
    if (this.#next !== undefined) {
      if (now || this.#turn.isIdle) this.#become(this.#next);
      return;
    }
    if (this.#isReplacing) return;
    this.#isReplacing = true;
    this.#reason = this.#leaving?.reason ?? this.#reason;
    try {
      const slot = await this.#openSlot();
      this.#isReplacing = false;
      if (this.#signal.aborted) slot.session?.close();
      // It ended before it was used.
      else if (slot.isOver) await this.#replace({ now });
      else if (this.#current?.isOver === true || now || this.#turn.isIdle) this.#become(slot);
      else this.#next = slot;
    } catch (error) {
      this.#isReplacing = false;
      if (this.#current?.isOver === true) this.#fail(error);
      // Otherwise the present session continues until it ends.
    }
  }

  #ended(slot: Slot, error: Error): void {
    if (slot.isOver) return;
    slot.isOver = true;
    if (slot.works) this.#opener.works();
    else this.#opener.failed(error);
    if (slot === this.#next) this.#next = undefined;
    if (slot !== this.#current || this.#signal.aborted) return;
    this.#cutTurn(slot);
    if (this.#provider.isFinal(error) && !this.#dropsHandle(slot)) return this.#fail(error);
    this.#reason = error instanceof PlatformError ? error.reason : "MODEL_UNAVAILABLE";
    void this.#replace({ now: true });
  }

  /** A session that was continued, and is refused before it did anything: its handle is at fault. */
  #dropsHandle(slot: Slot): boolean {
    if (slot.handle === undefined || slot.works) return false;
    this.#opener.handle = undefined;
    return true;
  }

  #cutTurn(slot: Slot): void {
    for (const response of [...(slot.session?.flush() ?? []), ...this.#turn.break()]) this.#queue.push(response);
    this.#said.take();
    this.#answered = undefined;
  }

  async #openSlot(): Promise<Slot> {
    for (;;) {
      const sent = new SentTimes(this.#clock, this.#lagMs);
      const slot: Slot = {
        session: undefined,
        handle: undefined,
        sent,
        baseline: 0,
        reached: 0,
        isOver: false,
        works: false,
      };
      const { session, handle } = await this.#opener.open(this.#listenerOf(slot), () => this.#hasPast());
      slot.session = session;
      slot.handle = handle;
      if (!slot.isOver) return slot;
      session.close();
    }
  }

  #hasPast(): boolean {
    return this.#history.length > 0 || this.#log.position > 0;
  }

  #become(slot: Slot): void {
    const before = this.#current;
    if (before !== undefined && !before.isOver) {
      this.#cutTurn(before);
      before.isOver = true;
      before.session?.close();
    }
    this.#install(slot);
    this.#restore(slot);
    slot.session?.begin();
  }

  #install(slot: Slot): void {
    clearTimeout(this.#leaving?.timer);
    clearTimeout(this.#worksTimer);
    this.#leaving = undefined;
    this.#next = undefined;
    this.#current = slot;
    this.#worksTimer = setTimeout(() => !slot.isOver && this.#markWorking(slot), WORKS_AFTER_MS);
    this.#worksTimer.unref();
  }

  /** Brings the new session to the state of the one before. */
  #restore(slot: Slot): void {
    const { handle } = slot;
    const inputs = this.#held.inputs;
    const isUnanswered = inputs.some(({ kind }) => kind === "history");
    const past = handle === undefined ? [...this.#history, ...this.#log.since(0)] : this.#log.since(handle.position);
    // Before the inputs that follow it.
    const sequence = (inputs[0]?.sequence ?? this.#number()) - 0.5;
    if (past.length > 0)
      ignored(() => this.#replay(slot, past, { sequence, answer: handle === undefined && isUnanswered }));
    const { model } = this.#provider;
    if (handle === undefined) {
      const change = { from: this.#model, to: model, reason: this.#reason, replayed: true };
      this.#queue.push({ liveModelChange: change });
    }
    this.#model = model;
    const dropped = this.#held.takeDropped();
    if (dropped !== undefined) this.#queue.push({ liveInputDropped: dropped });
    for (const input of inputs)
      if (input.kind !== "history" || handle !== undefined) ignored(() => this.#transmit(slot, input));
  }

  #replay(
    slot: Slot,
    history: readonly Content[],
    options: { readonly sequence: number; readonly answer: boolean },
  ): Promise<void> | void {
    slot.baseline = options.sequence;
    slot.sent.note(options.sequence);
    return slot.session?.replay(history, options);
  }

  #fail(error: unknown): void {
    if (!this.#signal.aborted) this.#queue.end(error instanceof Error ? error : new Error(String(error)));
    this.#finish();
  }

  #finish(): void {
    clearTimeout(this.#leaving?.timer);
    clearTimeout(this.#worksTimer);
    for (const slot of [this.#current, this.#next]) {
      if (slot === undefined) continue;
      slot.isOver = true;
      slot.session?.close();
    }
    this.#queue.end();
    if (!this.#closing.signal.aborted) this.#closing.abort();
  }
}

/** The caller has its answer: the model before has taken the input. */
function ignored(send: () => Promise<void> | void): void {
  try {
    send()?.catch(() => {});
  } catch {
    // The next model takes less than the one before. The rest of the input is sent.
  }
}
