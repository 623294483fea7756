import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { FakeLiveServer, type FakeSession } from "./fake-live-server.ts";
import { frameNumber } from "./frames.ts";

/** What the model of one session knows: a handle keeps a copy. */
export interface GeminiState {
  readonly frames: number[];
  /** Turns as texts, with the role in front. */
  readonly turns: string[];
  /** Client messages, the setup among them. */
  messages: number;
}

export type GeminiSession = FakeSession<GeminiState>;

export interface GeminiServerOptions {
  /** Called for each message after the setup. */
  readonly on?: (session: GeminiSession, message: JsonObject, server: GeminiLiveServer) => void;
  /** Called in place of the usual answer to a setup. */
  readonly onSetup?: (session: GeminiSession, setup: JsonObject, server: GeminiLiveServer) => boolean;
  readonly refuses?: (request: IncomingMessage) => number | undefined;
}

/**
 * The Live API's wire format, with what no document promises: JSON in binary frames, unknown messages and members, empty
 * contents, members joined in one message, and numbers as text.
 */
export class GeminiLiveServer implements AsyncDisposable {
  readonly frames: number[] = [];
  readonly setups: JsonObject[] = [];
  readonly #options: GeminiServerOptions;
  readonly #handles = new Map<string, GeminiState>();
  #server: FakeLiveServer<GeminiState> | undefined;
  #waiting: (() => void)[] = [];

  private constructor(options: GeminiServerOptions) {
    this.#options = options;
  }

  static async start(options: GeminiServerOptions = {}): Promise<GeminiLiveServer> {
    const own = new GeminiLiveServer(options);
    own.#server = await FakeLiveServer.start<GeminiState>({
      state: () => ({ frames: [], turns: [], messages: 0 }),
      opened: () => {},
      message: (session, message) => own.#message(session, message),
      ...(options.refuses !== undefined && { refuses: options.refuses }),
    });
    return own;
  }

  get url(): string {
    return this.#own.url;
  }

  get sessions(): readonly GeminiSession[] {
    return this.#own.sessions;
  }

  get openCount(): number {
    return this.#own.openCount;
  }

  /** The newest session that was set up. */
  get last(): GeminiSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error("Nobody has connected.");
    return session;
  }

  send(session: GeminiSession, message: JsonObject): void {
    session.send({ ...message, futureMember: { of: ["a", 1] } }, { binary: true });
  }

  /** Makes a handle of the session's state. */
  handle(session: GeminiSession, { withIndex = false }: { readonly withIndex?: boolean } = {}): string {
    const newHandle = `handle-${this.#handles.size + 1}`;
    this.#handles.set(newHandle, structuredClone(session.state));
    // The last message that was consumed; numbers of 64 bits are text.
    const update = { newHandle, resumable: true };
    const index = String(session.state.messages - 1);
    this.send(session, {
      sessionResumptionUpdate: withIndex ? { ...update, lastConsumedClientMessageIndex: index } : update,
    });
    return newHandle;
  }

  answer(session: GeminiSession, text: string): void {
    session.state.turns.push(`model: ${text}`);
    this.send(session, { serverContent: {} });
    this.send(session, {
      serverContent: {
        modelTurn: { role: "model", parts: [{ inlineData: { mimeType: "audio/pcm;rate=24000", data: "AAAA" } }] },
        outputTranscription: { text: text.slice(0, 2) },
      },
      usageMetadata: { promptTokenCount: 5, responseTokenCount: "7", totalTokenCount: 12 },
    });
    this.send(session, { serverContent: { outputTranscription: { text: text.slice(2) }, generationComplete: true } });
    this.send(session, { serverContent: { turnComplete: true, turnCompleteReason: "UNKNOWN_REASON" } });
  }

  /** Resolves when the server has received this frame. */
  async receipt(number: number): Promise<void> {
    while ((this.frames.at(-1) ?? -1) < number)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own[Symbol.asyncDispose]();
  }

  get #own(): FakeLiveServer<GeminiState> {
    if (this.#server === undefined) throw new Error("not started");
    return this.#server;
  }

  #message(session: GeminiSession, message: JsonObject): void {
    const { setup } = message;
    session.state.messages += 1;
    if (isJsonObject(setup)) return this.#setUp(session, setup);
    this.#remember(session, message);
    this.#options.on?.(session, message, this);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #setUp(session: GeminiSession, setup: JsonObject): void {
    this.setups.push(setup);
    const resumption = setup["sessionResumption"];
    const handle = isJsonObject(resumption) ? resumption["handle"] : undefined;
    if (typeof handle === "string") {
      const known = this.#handles.get(handle);
      if (known === undefined) return session.close(1008, "BidiGenerateContent session not found");
      session.state = { ...structuredClone(known), messages: 1 };
    }
    if (this.#options.onSetup?.(session, setup, this) === true) return;
    this.send(session, { setupComplete: {}, somethingElse: [] });
  }

  #remember({ state }: GeminiSession, { realtimeInput, clientContent, toolResponse }: JsonObject): void {
    const data = field(field(realtimeInput, "audio"), "data");
    if (typeof data === "string") {
      state.frames.push(frameNumber(data));
      this.frames.push(frameNumber(data));
    }
    const text = field(realtimeInput, "text");
    if (typeof text === "string") state.turns.push(`user: ${text}`);
    const turns = field(clientContent, "turns");
    if (Array.isArray(turns)) for (const turn of turns) state.turns.push(`${field(turn, "role")}: ${said(turn)}`);
    const responses = field(toolResponse, "functionResponses");
    if (Array.isArray(responses))
      for (const one of responses) state.turns.push(`tool: ${JSON.stringify(field(one, "response"))}`);
  }
}

export function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function said(turn: JsonValue): string {
  const parts = field(turn, "parts");
  if (!Array.isArray(parts)) return "";
  return parts
    .map(
      (part) => field(part, "text") ?? JSON.stringify(field(part, "functionCall") ?? field(part, "functionResponse")),
    )
    .join("");
}
