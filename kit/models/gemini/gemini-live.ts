import type { GoogleGenAI, Session } from "@google/genai";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, Part } from "#kit/events/content.ts";
import type { LiveConnectConfig, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import { ModelError, mapModelError, type ProviderNames } from "#kit/models/error-mapper.ts";
import { EarlyMessages } from "#kit/models/live/early-messages.ts";
import { KeepAlive } from "#kit/models/live/keep-alive.ts";
import type { LiveInput, LiveListener, LiveProvider, LiveSession } from "#kit/models/live/live-session.ts";
import { errorOfEnd, type SocketEnd } from "#kit/models/live/socket-end.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import type { ProviderForm } from "#kit/models/wire/provider-form.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { toGeminiContent } from "./gemini-convert.ts";
import { GeminiLiveMessages } from "./gemini-live-messages.ts";
import { toLiveSetup } from "./gemini-live-setup.ts";
import { type WatchedClient, watchedClient } from "./gemini-live-socket.ts";

export interface GeminiLiveOptions {
  readonly model: string;
  readonly vertexAi: boolean;
  readonly form: ProviderForm;
  readonly config: LiveConnectConfig;
  readonly names: ProviderNames;
  /** The SDK's client, with the key of the moment. */
  readonly client: () => Promise<GoogleGenAI>;
  readonly pingEveryMs?: number | undefined;
}

/** An upgrade, a setup and the loading of a session. */
const OPEN_TIMEOUT_MS = 20_000;
/** A session that sends more frames that are not JSON is ended. */
const MAX_UNREADABLE = 100;
/** Makes a model answer the history that it was given, as adk-python. */
const ANSWER_NOW = ".";
const DEFAULT_TIME_LEFT_MS = 10_000;
const LONGEST_TIME_LEFT_MS = 3_600_000;

/** The live sessions of a Gemini model, over the SDK's live client. */
export class GeminiLive implements LiveProvider {
  readonly model: string;
  readonly #options: GeminiLiveOptions;

  constructor(options: GeminiLiveOptions) {
    this.model = options.model;
    this.#options = options;
  }

  isFinal(error: Error): boolean {
    return !(error instanceof PlatformError && error.retryable);
  }

  check(input: LiveInput): void {
    if (input.kind !== "realtime" || !("blob" in input.input)) return;
    const { mimeType = "" } = input.input.blob;
    if (/^audio\/(pcm|l16)(;|$)/i.test(mimeType) || /^image\//i.test(mimeType)) return;
    throw new PlatformError(
      "INVALID_FIELD",
      `blob.mimeType is "${mimeType}": a Gemini live model takes audio/pcm;rate=16000 (16 bits, mono) and images.`,
      { details: { field: "blob.mimeType" } },
    );
  }

  async open({ handle, replays, listener, signal }: Parameters<LiveProvider["open"]>[0]): Promise<LiveSession> {
    const { names, vertexAi, form, config, model } = this.#options;
    const client = await this.#options.client();
    signal.throwIfAborted();
    const session = new GeminiLiveSession(this.#options, listener);
    const watched = watchedClient(client.live, {
      message: (message) => session.read(message),
      unreadable: () => session.skip(),
      setup: historySetup(config, replays && isGemini3(model)),
    });
    session.watch(watched);
    let end: SocketEnd | undefined;
    let isOpen = false;
    const abandon = (): void => watched.abandon();
    const timer = setTimeout(() => {
      end ??= { code: 1011, reason: "timeout of the setup" };
      abandon();
    }, OPEN_TIMEOUT_MS);
    signal.addEventListener("abort", abandon, { once: true });
    try {
      const opened = await watched.live.connect({
        model,
        config: toLiveSetup(form.request, config, { vertexAi, handle }),
        callbacks: {
          // Read from the socket.
          onmessage: () => {},
          onerror: (event) => {
            end ??= { code: 1006, reason: "", error: Reflect.get(event, "error") ?? event };
          },
          onclose: ({ code, reason }) => {
            end ??= { code, reason };
            if (isOpen) session.end(errorOfEnd(end, names));
          },
        },
      });
      isOpen = true;
      session.start(opened);
      if (end !== undefined) session.end(errorOfEnd(end, names));
      return session;
    } catch (error) {
      signal.throwIfAborted();
      // Without an end the SDK itself has failed, for example for want of a token.
      throw end === undefined ? mapModelError(error, names) : errorOfEnd(end, names);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abandon);
    }
  }
}

class GeminiLiveSession implements LiveSession {
  readonly #options: GeminiLiveOptions;
  readonly #listener: LiveListener;
  readonly #messages: GeminiLiveMessages;
  readonly #isGemini3: boolean;
  #session: Session | undefined;
  #keepAlive: KeepAlive | undefined;
  #watched: WatchedClient | undefined;
  readonly #early = new EarlyMessages();
  #unreadable = 0;
  #isOver = false;
  /** The setup is message 0. */
  #sentMessages = 0;
  /** Inputs by the number of their message, for Vertex AI's reports. */
  #sent: { readonly message: number; readonly sequence: number }[] = [];

  constructor(options: GeminiLiveOptions, listener: LiveListener) {
    this.#options = options;
    this.#listener = listener;
    this.#isGemini3 = isGemini3(options.model);
    this.#messages = new GeminiLiveMessages({ sendsWholeInput: this.#isGemini3 });
  }

  /** Before the socket is opened: its answers may be unreadable already. */
  watch(watched: WatchedClient): void {
    this.#watched = watched;
  }

  start(session: Session): void {
    this.#session = session;
    const socket = this.#watched?.socket();
    if (socket !== undefined) this.#keepAlive = new KeepAlive(socket, this.#options.pingEveryMs);
  }

  begin(): void {
    for (const message of this.#early.take()) this.read(message);
  }

  read(message: JsonObject): void {
    if (this.#isOver) return;
    const place = this.#early.hold(message);
    if (place === "full") this.#breakOff("sends more than a session that is not used may");
    if (place !== "late") return;
    const responses = this.#messages.read(message);
    for (const response of responses) this.#report(response);
  }

  skip(): void {
    this.#unreadable += 1;
    if (this.#unreadable <= MAX_UNREADABLE || this.#isOver) return;
    this.#breakOff("sent an answer that cannot be read");
  }

  #breakOff(problem: string): void {
    this.#watched?.abandon();
    this.end(new ModelError("SERVER_ERROR", `${this.#options.names.provider} ${problem}.`));
  }

  end(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#keepAlive?.stop();
    this.#listener.ended(error);
  }

  send(input: LiveInput, { asTurn }: { readonly asTurn: boolean }): void {
    if (this.#isOver) return;
    const { sequence } = input;
    if (input.kind === "history") return this.replay(input.history, { sequence, answer: true });
    if (input.kind === "content") this.#sendContent(input.content, { asTurn, turnComplete: input.turnComplete });
    else this.#sendRealtime(input.input);
    this.#noteSent(sequence);
  }

  replay(
    history: readonly Content[],
    { sequence, answer }: { readonly sequence: number; readonly answer: boolean },
  ): void {
    const turns = this.#wire(history.map(withoutMedia));
    const isInitial = this.#sentMessages === 0 && this.#isGemini3;
    // The server waits for a first history that was announced, also for an empty one.
    if (turns.length === 0 && isInitial) this.#act((session) => session.sendClientContent({ turnComplete: true }));
    if (turns.length > 0) this.#clientContent(turns, isInitial || answer);
    if (answer && isInitial && turns.length > 0)
      this.#act((session) => session.sendRealtimeInput({ text: ANSWER_NOW }));
    this.#noteSent(sequence);
  }

  flush(): readonly LlmResponse[] {
    return this.#messages.flush().map((response) => this.#options.form.restore(response));
  }

  close(): void {
    this.#isOver = true;
    this.#keepAlive?.stop();
    this.#session?.close();
  }

  #noteSent(sequence: number): void {
    this.#sent.push({ message: this.#sentMessages, sequence });
    // Without reports nobody shortens the list.
    if (this.#sent.length > 20_000) this.#sent.splice(0, 10_000);
  }

  #report(response: LlmResponse): void {
    const { liveSessionResumptionUpdate: update, goAway } = response;
    if (update?.newHandle !== undefined && update.resumable === true) {
      const consumed = this.#consumed(update.lastConsumedClientMessageIndex);
      // What waits to be sent is not in the handle, however old it is.
      if (consumed === undefined && this.#keepAlive?.isDrained === false) return;
      if (!this.#listener.resumable(update.newHandle, consumed)) return;
    }
    this.#listener.received(this.#options.form.restore(response));
    if (goAway !== undefined) this.#listener.leaving(timeLeftMs(goAway.timeLeft), "GO_AWAY");
  }

  /** The last input of the messages up to this one. Undefined for a number that this session has not reached. */
  #consumed(index: number | undefined): number | undefined {
    if (index === undefined || index > this.#sentMessages) return undefined;
    let count = 0;
    while ((this.#sent[count]?.message ?? Number.POSITIVE_INFINITY) <= index) count += 1;
    const last = this.#sent[count - 1]?.sequence;
    this.#sent = this.#sent.slice(count);
    return last ?? 0;
  }

  #sendContent(content: Content, { asTurn, turnComplete }: { asTurn: boolean; turnComplete: boolean }): void {
    const [wire] = this.#wire([content]);
    if (wire === undefined) return;
    const parts = wire.parts ?? [];
    const answers = asTurn ? [] : parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    if (answers.length > 0) {
      // The kit's responses are the API's.
      const functionResponses = answers as Parameters<Session["sendToolResponse"]>[0]["functionResponses"];
      this.#act((session) => session.sendToolResponse({ functionResponses }));
      const others = parts.filter(({ functionResponse }) => functionResponse === undefined);
      if (others.length > 0) this.#clientContent([{ ...wire, parts: others }], turnComplete);
      return;
    }
    const text = this.#isGemini3 && turnComplete ? onlyText(parts) : undefined;
    if (text === undefined) this.#clientContent([wire], turnComplete);
    else this.#act((session) => session.sendRealtimeInput({ text }));
  }

  #sendRealtime(input: RealtimeInput): void {
    this.#act((session) => {
      if ("activityStart" in input) session.sendRealtimeInput({ activityStart: {} });
      else if ("activityEnd" in input) session.sendRealtimeInput({ activityEnd: {} });
      else if ("audioStreamEnd" in input) session.sendRealtimeInput({ audioStreamEnd: true });
      else {
        const { mimeType = "", data = "" } = input.blob;
        const kind = mimeType.startsWith("image/") ? "video" : "audio";
        session.sendRealtimeInput({ [kind]: { mimeType, data } });
      }
    });
  }

  #clientContent(turns: readonly Content[], turnComplete: boolean): void {
    // The kit's contents are the API's.
    const sent = turns as Parameters<Session["sendClientContent"]>[0]["turns"];
    this.#act((session) => session.sendClientContent({ turns: sent, turnComplete }));
  }

  #wire(contents: readonly Content[]): readonly Content[] {
    return this.#options.form.added(contents).map(toGeminiContent);
  }

  #act(send: (session: Session) => void): void {
    if (this.#session === undefined || this.#isOver) return;
    this.#sentMessages += 1;
    send(this.#session);
    this.#keepAlive?.checkBuffered();
  }
}

/** Models since Gemini 3 take history first and text as it is typed, and transcribe each utterance once. */
function isGemini3(model: string): boolean {
  return /(^|\/)gemini-([3-9]|\d\d)[.-]/.test(model) && model.includes("-live") && !model.includes("live-translate");
}

function historySetup({ historyConfig }: LiveConnectConfig, isFirst: boolean): JsonObject {
  const config = { ...historyConfig, ...(isFirst && { initialHistoryInClientContent: true }) };
  return Object.keys(config).length === 0 ? {} : { historyConfig: config };
}

/** Sound has been transcribed, and a session that gets it as a turn fails. */
function withoutMedia(content: Content): Content {
  const isMedia = ({ inlineData, fileData }: Part): boolean => inlineData !== undefined || fileData !== undefined;
  const { parts = [] } = content;
  return parts.some(isMedia) ? { ...content, parts: parts.filter((part) => !isMedia(part)) } : content;
}

function onlyText(parts: readonly Part[]): string | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.text !== undefined && part.text !== "" ? part.text : undefined;
}

/** A duration such as `"9.5s"`. */
function timeLeftMs(timeLeft: string | undefined): number {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(timeLeft ?? "") ?? [];
  return seconds === undefined ? DEFAULT_TIME_LEFT_MS : Math.min(Number(seconds) * 1000, LONGEST_TIME_LEFT_MS);
}
