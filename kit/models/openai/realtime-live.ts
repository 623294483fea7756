import { connect } from "node:net";
import type { OpenAI } from "openai";
import type { OpenAIRealtimeWS } from "openai/realtime/ws";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import type { LiveConnectConfig, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import { ModelError, mapModelError, type ProviderNames } from "#kit/models/error-mapper.ts";
import { EarlyMessages } from "#kit/models/live/early-messages.ts";
import { KeepAlive, rawSocketOf } from "#kit/models/live/keep-alive.ts";
import type { LiveInput, LiveListener, LiveProvider, LiveSession } from "#kit/models/live/live-session.ts";
import { isPcm } from "#kit/models/live/pcm.ts";
import { PlayedOutput } from "#kit/models/live/played-output.ts";
import { SentTimes } from "#kit/models/live/sent-times.ts";
import { errorOfEnd } from "#kit/models/live/socket-end.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ProviderForm } from "#kit/models/wire/provider-form.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { toItems } from "./realtime-items.ts";
import { RealtimeMessages } from "./realtime-messages.ts";
import { toRealtimeSession } from "./realtime-setup.ts";
import { SpokenInput } from "./realtime-speech.ts";

export interface RealtimeLiveOptions {
  readonly model: string;
  readonly form: ProviderForm;
  readonly config: LiveConnectConfig;
  readonly names: ProviderNames;
  /** The SDK's client, with the key of the moment. */
  readonly client: () => Promise<OpenAI>;
  readonly clock: Clock;
  /** The API ends sessions after an hour. */
  readonly maxSessionMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const OPEN_TIMEOUT_MS = 20_000;
const MAX_SESSION_MS = 60 * 60_000;
/** Before the limit: the next session opens at the end of a turn within this time. */
const LEAVE_BEFORE_MS = 5 * 60_000;
/** The largest event: minutes of sound in one chunk. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;
const MAX_UNREADABLE = 100;
/** Utterances whose transcriptions may still come, and the characters of their ids. */
const MAX_ITEMS = 1000;
const MAX_ITEM_CHARACTERS = 200;
/** The server's detection can still find speech in newer sound. */
const DETECTION_MS = 1500;
const RECEIPT_EVERY_MS = 1000;
/** Errors of events that came too late to have an effect. */
const HARMLESS = new Set([
  ...["input_audio_buffer_commit_empty", "response_cancel_not_active", "conversation_already_has_active_response"],
  ...["item_truncate_invalid_item_id", "invalid_value"],
]);

/** The live sessions of a model of OpenAI's Realtime API. None can be continued. */
export class RealtimeLive implements LiveProvider {
  readonly model: string;
  readonly #options: RealtimeLiveOptions;

  constructor(options: RealtimeLiveOptions) {
    this.model = options.model;
    this.#options = options;
  }

  isFinal(error: Error): boolean {
    return !(error instanceof PlatformError && error.retryable);
  }

  check(input: LiveInput): void {
    if (input.kind !== "realtime" || !("blob" in input.input)) return;
    const { mimeType = "" } = input.input.blob;
    if (isPcm(mimeType) || mimeType.startsWith("image/")) return;
    throw new PlatformError(
      "INVALID_FIELD",
      `blob.mimeType is "${mimeType}": an OpenAI live model takes audio/pcm with its rate (16 bits, mono) and images.`,
      { details: { field: "blob.mimeType" } },
    );
  }

  async open({ listener, signal }: Parameters<LiveProvider["open"]>[0]): Promise<LiveSession> {
    const { model, headers, names } = this.#options;
    const client = await this.#options.client();
    const { OpenAIRealtimeWS } = await import("openai/realtime/ws");
    signal.throwIfAborted();
    const isPlain = client.baseURL.startsWith("http:");
    const realtime = new OpenAIRealtimeWS(
      {
        model,
        options: {
          maxPayload: MAX_EVENT_BYTES,
          // One event in each turn of the event loop, so that a flood of them leaves turns to others.
          allowSynchronousEvents: false,
          handshakeTimeout: OPEN_TIMEOUT_MS,
          headers: { ...headers },
          // The SDK's addresses are `wss:`, also for a `baseUrl` with `http:`.
          ...(isPlain && { createConnection: plainConnection }),
        },
      },
      client,
    );
    const session = new RealtimeSession(this.#options, realtime, listener);
    const abandon = (): void => realtime.socket.terminate();
    const timer = setTimeout(abandon, OPEN_TIMEOUT_MS);
    signal.addEventListener("abort", abandon, { once: true });
    try {
      await session.opened;
      return session;
    } catch (error) {
      abandon();
      signal.throwIfAborted();
      throw mapModelError(error, names);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abandon);
    }
  }
}

/** `ws` calls it with the options of its request alone. */
const plainConnection = ((options: { readonly host: string; readonly port: number }) =>
  connect({ host: options.host, port: Number(options.port) })) as typeof connect;

class RealtimeSession implements LiveSession {
  /** Resolves when the settings were accepted. */
  readonly opened: Promise<void>;
  readonly #options: RealtimeLiveOptions;
  readonly #realtime: OpenAIRealtimeWS;
  readonly #listener: LiveListener;
  readonly #messages = new RealtimeMessages();
  readonly #input = new SpokenInput();
  readonly #played: PlayedOutput;
  readonly #sent: SentTimes;
  readonly #opening = Promise.withResolvers<void>();
  #keepAlive: KeepAlive | undefined;
  readonly #early = new EarlyMessages();
  #isSetUp = false;
  #isOver = false;
  #unreadable = 0;
  #limit: NodeJS.Timeout | undefined;
  #socketError: unknown;
  /** The server generates an answer, and refuses to begin another one. */
  #isAnswering = false;
  #wantsAnswer = false;
  #isSpeaking = false;
  /** Turns of speech that have no answer yet. */
  #unanswered = 0;
  /** Transcriptions that have not arrived yet although the answer began. */
  readonly #lateItems = new Set<string>();
  readonly #committed = new Set<string>();
  #receiptAt = 0;

  constructor(options: RealtimeLiveOptions, realtime: OpenAIRealtimeWS, listener: LiveListener) {
    this.#options = options;
    this.#realtime = realtime;
    this.#listener = listener;
    this.#played = new PlayedOutput(() => options.clock.monotonic());
    this.#sent = new SentTimes(options.clock, DETECTION_MS);
    this.opened = this.#opening.promise;
    this.opened.catch(() => {});
    realtime.on("event", (event) => this.#read(event as unknown as JsonObject));
    realtime.on("error", ({ error }) => error === undefined && this.#skip());
    realtime.socket.on("error", (error) => {
      this.#socketError = error;
    });
    realtime.socket.on("close", (code, reason) => this.#closed(code, reason.toString()));
  }

  begin(): void {
    for (const event of this.#early.take()) this.#handle(event);
  }

  send(input: LiveInput, _options: { readonly asTurn: boolean }): void {
    if (this.#isOver) return;
    const { sequence } = input;
    this.#sent.note(sequence);
    if (input.kind === "history") this.replay(input.history, { answer: true });
    else if (input.kind === "content") this.#sendContent(input.content, input.turnComplete);
    else this.#sendRealtime(input.input);
    this.#keepAlive?.checkBuffered();
    this.#askForReceipt();
  }

  replay(history: readonly Content[], { answer }: { readonly answer: boolean }): void {
    for (const content of this.#options.form.added(history)) this.#addItems(content);
    if (answer) this.#answer();
  }

  flush(): readonly LlmResponse[] {
    return this.#messages.flush();
  }

  close(): void {
    this.#over();
    this.#realtime.close();
  }

  #read(event: JsonObject): void {
    if (this.#isOver) return;
    if (this.#isSetUp) {
      const place = this.#early.hold(event);
      if (place === "late") this.#handle(event);
      else if (place === "full") this.#breakOff("sends more than a session that is not used may");
      return;
    }
    const { type } = event;
    if (type === "session.created") {
      const session = toRealtimeSession(this.#options.form.request, this.#options.config);
      this.#realtime.send({ type: "session.update", session });
    } else if (type === "session.updated") {
      this.#start();
    } else if (type === "error") {
      this.#opening.reject(mapModelError({ error: event["error"] }, this.#options.names));
    }
  }

  #start(): void {
    this.#isSetUp = true;
    const socket = rawSocketOf(this.#realtime.socket);
    if (socket !== undefined) this.#keepAlive = new KeepAlive(socket);
    const { maxSessionMs = MAX_SESSION_MS } = this.#options;
    const before = Math.min(LEAVE_BEFORE_MS, maxSessionMs / 2);
    this.#limit = setTimeout(() => this.#listener.leaving(before, "SESSION_LIMIT"), maxSessionMs - before);
    this.#limit.unref();
    this.#opening.resolve();
  }

  #handle(event: JsonObject): void {
    this.#listener.alive();
    switch (event["type"]) {
      case "error":
        return this.#failed(event);
      case "input_audio_buffer.speech_started":
        this.#isSpeaking = true;
        return this.#interrupt();
      case "input_audio_buffer.speech_stopped":
        this.#isSpeaking = false;
        return;
      case "input_audio_buffer.committed":
        this.#isSpeaking = false;
        this.#unanswered += 1;
        if (typeof event["item_id"] === "string") addBounded(this.#committed, event["item_id"]);
        return;
      case "response.created":
        this.#isAnswering = true;
        for (const item of this.#committed) addBounded(this.#lateItems, item);
        this.#committed.clear();
        return;
      case "response.output_audio.delta":
        this.#played.add(String(event["item_id"]), { data: String(event["delta"] ?? "") });
        return this.#report(event);
      case "conversation.item.input_audio_transcription.completed":
        return this.#reportTranscription(event);
      case "response.done":
        this.#isAnswering = false;
        this.#unanswered = 0;
        this.#report(event);
        if (this.#wantsAnswer) this.#answer();
        return;
      default:
        return this.#report(event);
    }
  }

  #report(event: JsonObject): void {
    for (const response of this.#messages.read(event)) this.#listener.received(this.#options.form.restore(response));
  }

  /** The user's words often arrive after the answer to them. */
  #reportTranscription(event: JsonObject): void {
    const item = String(event["item_id"]);
    const isLate = this.#lateItems.delete(item);
    this.#committed.delete(item);
    const turn = this.#isAnswering ? "in-turn" : "after-turn";
    for (const response of this.#messages.read(event)) this.#listener.received(response, isLate ? turn : undefined);
  }

  /** The server stops its answer itself, and has to be told how much of it was heard. */
  #interrupt(): void {
    const { realtimeInputConfig } = this.#options.config;
    if (realtimeInputConfig?.["activityHandling"] === "NO_INTERRUPTION") return;
    const played = this.#played.interrupt();
    if (played === undefined) return;
    const type = "conversation.item.truncate" as const;
    this.#realtime.send({ type, item_id: played.id, content_index: 0, audio_end_ms: played.playedMs });
    this.#listener.received({ interrupted: true });
  }

  #failed({ error }: JsonObject): void {
    const code = isJsonObject(error) ? String(error["code"] ?? "") : "";
    if (HARMLESS.has(code)) return;
    if (code === "session_expired") return void this.#listener.leaving(0, "SESSION_LIMIT");
    const mapped = mapModelError({ error }, this.#options.names);
    if (mapped.retryable) return this.#end(mapped);
    this.#listener.received({ errorCode: mapped.reason, errorMessage: mapped.message });
  }

  #sendContent(content: Content, turnComplete: boolean): void {
    const [wire] = this.#options.form.added([content]);
    if (wire === undefined) return;
    const answersCalls = wire.parts?.some(({ functionResponse }) => functionResponse !== undefined) === true;
    // What the user types interrupts what the model says, as with Gemini.
    if (!answersCalls && turnComplete && this.#isAnswering) this.#realtime.send({ type: "response.cancel" });
    this.#addItems(wire);
    if (turnComplete) this.#answer();
  }

  #addItems(content: Content): void {
    for (const item of toItems(content)) this.#realtime.send({ type: "conversation.item.create", item });
  }

  /** At the end of the answer in progress, if there is one. */
  #answer(): void {
    this.#wantsAnswer = this.#isAnswering;
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.#realtime.send({ type: "response.create" });
  }

  #sendRealtime(input: RealtimeInput): void {
    if ("activityStart" in input) {
      if (this.#isAnswering) this.#realtime.send({ type: "response.cancel" });
      this.#isSpeaking = true;
      this.#interrupt();
    } else if ("activityEnd" in input || "audioStreamEnd" in input) {
      if (!this.#isSpeaking) return;
      this.#isSpeaking = false;
      this.#realtime.send({ type: "input_audio_buffer.commit" });
      this.#answer();
    } else if (input.blob.mimeType?.startsWith("image/") === true) {
      this.#addItems({ role: "user", parts: [{ inlineData: input.blob }] });
    } else {
      const audio = this.#input.convert(input.blob);
      if (audio !== "") this.#realtime.send({ type: "input_audio_buffer.append", audio });
    }
  }

  /** Silence that the server has received is not needed any more. Nothing else reports it. */
  #askForReceipt(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#receiptAt < RECEIPT_EVERY_MS) return;
    this.#receiptAt = now;
    const settled = this.#sent.settled();
    this.#keepAlive?.afterReceipt(() => {
      if (!this.#isSpeaking && !this.#isAnswering && this.#unanswered === 0) this.#listener.consumed(settled);
    });
  }

  #skip(): void {
    this.#unreadable += 1;
    if (this.#unreadable > MAX_UNREADABLE) this.#breakOff("sent an answer that cannot be read");
  }

  #breakOff(problem: string): void {
    this.#realtime.socket.terminate();
    this.#end(new ModelError("SERVER_ERROR", `${this.#options.names.provider} ${problem}.`));
  }

  #closed(code: number, reason: string): void {
    this.#end(errorOfEnd({ code, reason, error: this.#socketError }, this.#options.names));
  }

  #end(error: Error): void {
    this.#opening.reject(error);
    if (this.#isOver) return;
    const wasSetUp = this.#isSetUp;
    this.#over();
    if (wasSetUp) this.#listener.ended(error);
  }

  #over(): void {
    this.#isOver = true;
    clearTimeout(this.#limit);
    this.#keepAlive?.stop();
  }
}

/** Forgets the oldest item for a new one. */
function addBounded(items: Set<string>, item: string): void {
  if (item.length > MAX_ITEM_CHARACTERS) return;
  const [oldest] = items;
  if (items.size >= MAX_ITEMS && oldest !== undefined) items.delete(oldest);
  items.add(item);
}
