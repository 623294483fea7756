import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { FakeLiveServer, type FakeSession } from "./fake-live-server.ts";
import { frameNumber } from "./frames.ts";

/** A session's conversation: lost with its socket. */
export interface RealtimeState {
  readonly frames: number[];
  readonly items: JsonObject[];
}

export type RealtimeSession = FakeSession<RealtimeState>;

export interface RealtimeServerOptions {
  /** Called for each event after the settings. */
  readonly on?: (session: RealtimeSession, event: JsonObject, server: RealtimeServer) => void;
  readonly refuses?: (request: IncomingMessage) => number | undefined;
  /** An error in place of `session.updated`. */
  readonly refusesSettings?: JsonObject;
}

/**
 * The Realtime API's wire format, with what no document promises: events and members that nobody knows, pieces without
 * text, and events in another order.
 */
export class RealtimeServer implements AsyncDisposable {
  readonly frames: number[] = [];
  readonly settings: JsonObject[] = [];
  readonly #options: RealtimeServerOptions;
  #server: FakeLiveServer<RealtimeState> | undefined;
  #waiting: (() => void)[] = [];
  #ids = 0;

  private constructor(options: RealtimeServerOptions) {
    this.#options = options;
  }

  static async start(options: RealtimeServerOptions = {}): Promise<RealtimeServer> {
    const own = new RealtimeServer(options);
    own.#server = await FakeLiveServer.start<RealtimeState>({
      state: () => ({ frames: [], items: [] }),
      opened: (session) => own.send(session, "session.created", { session: { type: "realtime", expires_at: 1 } }),
      message: (session, event) => own.#event(session, event),
      ...(options.refuses !== undefined && { refuses: options.refuses }),
    });
    return own;
  }

  get url(): string {
    return `${this.#own.url}/v1`;
  }

  get sessions(): readonly RealtimeSession[] {
    return this.#own.sessions;
  }

  get openCount(): number {
    return this.#own.openCount;
  }

  get last(): RealtimeSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error("Nobody has connected.");
    return session;
  }

  /** What the newest session knows, as text. */
  get known(): readonly string[] {
    return this.last.state.items.map((item) => {
      if (item["type"] === "function_call") return `call: ${item["name"]} ${item["arguments"]}`;
      if (item["type"] === "function_call_output") return `result: ${item["output"]}`;
      const content = Array.isArray(item["content"]) ? item["content"].filter(isJsonObject) : [];
      return `${item["role"]}: ${content.map(({ text, type }) => text ?? type).join("")}`;
    });
  }

  send(session: RealtimeSession, type: string, members: JsonObject = {}): void {
    this.#ids += 1;
    session.send({ type, event_id: `event_${this.#ids}`, future_member: [1], ...members });
  }

  /** Speaks: pieces of sound and of its transcription, and the answer's end. */
  answer(session: RealtimeSession, text: string, { ends = true }: { readonly ends?: boolean } = {}): void {
    this.#ids += 1;
    const item = { item_id: `item_${this.#ids}`, response_id: "resp_1", output_index: 0, content_index: 0 };
    this.send(session, "response.created", { response: { id: "resp_1", status: "in_progress" } });
    this.send(session, "response.output_item.added", item);
    // One second of sound.
    const delta = Buffer.alloc(48_000).toString("base64");
    this.send(session, "response.output_audio.delta", { ...item, delta });
    this.send(session, "response.output_audio_transcript.delta", { ...item, delta: "" });
    for (const word of text.match(/\S+\s*/g) ?? [])
      this.send(session, "response.output_audio_transcript.delta", { ...item, delta: word });
    this.send(session, "response.future_event", item);
    if (ends) this.end(session, text, item);
  }

  end(session: RealtimeSession, text: string, item: JsonObject = {}): void {
    this.send(session, "response.output_audio_transcript.done", { ...item, transcript: text });
    session.state.items.push({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, input_token_details: { cached_tokens: 1 } };
    this.send(session, "response.done", { response: { status: "completed", output: [], usage } });
    this.send(session, "rate_limits.updated", { rate_limits: [] });
  }

  /** The user's speech, as the server's detection reports it. */
  hear(
    session: RealtimeSession,
    text: string,
    { transcribes = true }: { readonly transcribes?: boolean } = {},
  ): string {
    this.#ids += 1;
    const item_id = `item_${this.#ids}`;
    this.send(session, "input_audio_buffer.speech_started", { item_id, audio_start_ms: 0 });
    this.send(session, "input_audio_buffer.speech_stopped", { item_id, audio_end_ms: 500 });
    this.send(session, "input_audio_buffer.committed", { item_id, previous_item_id: null });
    this.send(session, "conversation.item.added", { item: { id: item_id } });
    if (transcribes) this.transcribe(session, item_id, text);
    return item_id;
  }

  transcribe(session: RealtimeSession, item_id: string, transcript: string): void {
    const type = "conversation.item.input_audio_transcription";
    this.send(session, `${type}.delta`, { item_id, content_index: 0, delta: transcript.slice(0, 2) });
    this.send(session, `${type}.completed`, { item_id, content_index: 0, transcript, usage: { type: "duration" } });
  }

  async receipt(number: number): Promise<void> {
    while ((this.frames.at(-1) ?? -1) < number)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own[Symbol.asyncDispose]();
  }

  get #own(): FakeLiveServer<RealtimeState> {
    if (this.#server === undefined) throw new Error("not started");
    return this.#server;
  }

  #event(session: RealtimeSession, event: JsonObject): void {
    const { type, item, audio } = event;
    if (type === "session.update" && isJsonObject(event["session"])) {
      this.settings.push(event["session"]);
      const { refusesSettings } = this.#options;
      if (refusesSettings !== undefined) return this.send(session, "error", { error: refusesSettings });
      return this.send(session, "session.updated", { session: event["session"] });
    }
    if (type === "conversation.item.create" && isJsonObject(item)) {
      session.state.items.push(item);
      this.send(session, "conversation.item.added", { item });
    }
    if (type === "input_audio_buffer.append" && typeof audio === "string") {
      session.state.frames.push(frameNumber(audio));
      this.frames.push(frameNumber(audio));
    }
    this.#options.on?.(session, event, this);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
