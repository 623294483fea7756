import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { Event } from "#kit/events/event.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { queryOf } from "./api-path.ts";
import { pause } from "./back-off.ts";
import { isObject, readEvent } from "./check-answer.ts";
import { connectionLost, FairleadError, isTransient, unexpectedAnswer } from "./fairlead-error.ts";
import type { HttpClient } from "./http-client.ts";
import { parseJson } from "./read-body.ts";

/** One message of a live call. */
export type LiveMessage = LiveRequest;

/** How a live call answers, and how long it lasts. */
export interface LiveOptions {
  /** The forms of the answers: `TEXT`, `AUDIO`; the server's default is audio. */
  readonly modalities?: readonly string[];
  /** Keeps the audio of both sides as artifacts. */
  readonly saveLiveBlob?: boolean;
  /** Ends the call; the loop then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called when the connection was lost and is opened again after the delay. */
  readonly onReconnect?: (about: { readonly failures: number; readonly delayMs: number }) => void;
}

/** Messages that wait for a connection. Beyond that the oldest media is dropped. */
const MAX_WAITING = 500;
/** The last messages that were sent, which are sent again on the next connection to the same run. */
const MAX_SENT = 500;
const NORMAL = 1000;
/** The server is stopped, has no room, or was lost: RFC 6455, section 7.4.1. */
const TRY_AGAIN: ReadonlySet<number> = new Set([1001, 1005, 1006, 1012, 1013]);
const PROTOCOL = "fairlead.live";

/**
 * A conversation over a WebSocket: both sides talk at any time, `send` and its shorter forms send, and
 * `for await (const event of call)` reads, chunks included.
 *
 * A lost connection is opened again. If the run is still there, which waits for its client for two leases (20 seconds by
 * default), it continues: stored events are neither missing nor repeated, and messages are not either, but for the oldest
 * audio of a long outage. Chunks that the model has sent meanwhile are missing. Otherwise a new run begins, with the
 * session's history and the messages that were not sent. The loop ends when the conversation does, and throws a
 * `FairleadError` if the server refuses or ends it.
 *
 * @example
 * ```ts
 * import { createClient } from "fairlead/client";
 *
 * const client = createClient({ baseUrl: "http://localhost:8000" });
 * const session = await client.sessions.create({ appName: "live_desk", userId: "ada" });
 * const call = client.live(session, { modalities: ["TEXT"] });
 * call.say("Hello!");
 * for await (const event of call) {
 *   console.log(event.content?.parts?.[0]?.text);
 *   if (event.turnComplete === true) call.close();
 * }
 * ```
 */
export class LiveCall implements AsyncIterable<Event> {
  readonly #http: HttpClient;
  readonly #session: SessionKey;
  readonly #options: LiveOptions;
  #socket: WebSocket | undefined;
  #waiting: string[] = [];
  #sent: string[] = [];
  /** The number of the next message in the run: the server counts them. */
  #next = 1;
  #run: Place | undefined;
  #isClosing = false;
  #isBeingRead = false;

  constructor(http: HttpClient, session: SessionKey, options: LiveOptions = {}) {
    this.#http = http;
    this.#session = session;
    this.#options = options;
  }

  /** Sends a message, or keeps it until there is a connection. Does nothing after `close`. */
  send(message: LiveMessage): void {
    if (this.#isClosing) return;
    this.#isClosing = message.close === true;
    const text = JSON.stringify(message);
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#transmit(this.#socket, text);
    if (this.#waiting.length >= MAX_WAITING) {
      const media = this.#waiting.findIndex((each) => each.startsWith('{"blob"'));
      this.#waiting.splice(Math.max(media, 0), 1);
    }
    this.#waiting.push(text);
  }

  #transmit(socket: WebSocket, text: string): void {
    this.#next += 1;
    this.#sent.push(text);
    if (this.#sent.length > MAX_SENT) this.#sent.shift();
    socket.send(text);
  }

  /** Sends a turn of the user. */
  say(text: string): void {
    this.send({ content: { role: "user", parts: [{ text }] } });
  }

  /** Sends a chunk of audio; 16-bit PCM at 16 kHz by default. */
  sendAudio(bytes: Uint8Array, mimeType = "audio/pcm;rate=16000"): void {
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    this.send({ blob: { mimeType, data: btoa(binary) } });
  }

  /** Ends the conversation: the loop ends after the last events. */
  close(): void {
    this.send({ close: true });
  }

  /** One loop at a time may read a call. A loop that is left closes the connection. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    if (this.#isBeingRead) throw new Error("Another loop reads this call.");
    this.#isBeingRead = true;
    const { signal, onReconnect } = this.#options;
    const { maxAttempts } = this.#http.settings.retry;
    try {
      for (let failures = 0; ; ) {
        let lost: FairleadError;
        try {
          for await (const event of this.#connection()) {
            failures = 0;
            yield event;
          }
          return;
        } catch (error) {
          if (signal?.aborted === true || !isTransient(error)) throw error;
          lost = error;
        }
        failures += 1;
        if (failures >= maxAttempts || this.#isClosing) throw lost;
        const delayMs = this.#http.delayMs(failures, lost.retryAfterMs);
        onReconnect?.({ failures, delayMs });
        await pause(delayMs, signal);
      }
    } finally {
      this.#isBeingRead = false;
    }
  }

  /** The events of one connection. Throws when it ends in another way than by the conversation's end. */
  async *#connection(): AsyncGenerator<Event, void, undefined> {
    const { signal } = this.#options;
    const { baseUrl } = this.#http.settings;
    const socket = new WebSocket(baseUrl.replace(/^http/, "ws") + this.#path(), await this.#protocols());
    let hasOpened = false;
    const arrived: (Arrived | FairleadError | "end")[] = [];
    let wake: () => void = () => {};
    const add = (item: Arrived | FairleadError | "end"): void => {
      arrived.push(item);
      wake();
    };
    const abort = (): void => socket.close(NORMAL);
    signal?.addEventListener("abort", abort, { once: true });
    socket.onopen = () => {
      hasOpened = true;
      // Whether messages have to be sent again is known with the run.
      if (this.#run === undefined) this.#opened(socket);
    };
    socket.onmessage = ({ data }) => {
      const read = this.#read(data, socket);
      if (read !== undefined) add(read);
    };
    socket.onclose = ({ code, reason }) => add(code === NORMAL ? "end" : closed(code, reason));
    try {
      for (;;) {
        signal?.throwIfAborted();
        const next = arrived.shift();
        if (next === "end") return;
        if (next instanceof FairleadError) throw hasOpened ? next : await this.#refusal(next);
        if (next !== undefined) {
          // The loop's body gets it now: a later connection does not repeat it.
          if (next.sequence !== undefined && this.#run !== undefined) this.#run.sequence = next.sequence;
          yield next.event;
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      if (this.#socket === socket) this.#socket = undefined;
      socket.close(NORMAL);
    }
  }

  #opened(socket: WebSocket): void {
    this.#socket = socket;
    for (const text of this.#waiting.splice(0)) this.#transmit(socket, text);
  }

  /** Undefined for the name of the run. */
  #read(data: unknown, socket: WebSocket): Arrived | FairleadError | undefined {
    if (typeof data !== "string") return unexpectedAnswer("A message of the live call is not text");
    try {
      const json = parseJson(data, "An event of the live call");
      if (!isObject(json)) return unexpectedAnswer("A message of the live call is not an object");
      if (typeof json["runId"] === "string") return void this.#joined(json["runId"], socket);
      const sequence = typeof json["sequence"] === "number" ? json["sequence"] : undefined;
      return { event: readEvent(json["event"]), sequence };
    } catch (error) {
      return error as FairleadError;
    }
  }

  /** The server skips messages that the same run has got; another run gets none of those that were sent before. */
  #joined(runId: string, socket: WebSocket): void {
    if (this.#socket === socket) this.#run = { runId, sequence: 0 };
    else if (this.#run?.runId === runId) for (const text of this.#sent) socket.send(text);
    else {
      this.#next = this.#firstSent;
      this.#sent = [];
      this.#run = { runId, sequence: 0 };
    }
    if (this.#socket !== socket) this.#opened(socket);
  }

  get #firstSent(): number {
    return this.#next - this.#sent.length;
  }

  /** A page is not told why a handshake was refused; the same request without one has the answer. */
  async #refusal(closed: FairleadError): Promise<unknown> {
    const { signal } = this.#options;
    const error = await this.#http.get(this.#path(), signal, () => closed).catch(asIs);
    return error instanceof FairleadError && error.reason !== "UPGRADE_REQUIRED" ? error : closed;
  }

  #path(): string {
    const { appName, userId, id } = this.#session;
    const { modalities, saveLiveBlob } = this.#options;
    const run = this.#run;
    const query = queryOf({
      ...{ app_name: appName, user_id: userId, session_id: id, save_live_blob: saveLiveBlob, resumable: true },
      ...(run !== undefined && { run_id: run.runId, after_sequence: run.sequence, next: this.#firstSent }),
    });
    const answersWith = (modalities ?? []).map((each) => `&modalities=${encodeURIComponent(each)}`).join("");
    return `/run_live${query}${answersWith}`;
  }

  /** Pages cannot set headers of a WebSocket, so that credentials in headers are exchanged for a ticket. */
  async #protocols(): Promise<string[]> {
    const headers = await this.#http.settings.headers();
    if (Object.keys(headers).length === 0) return [PROTOCOL];
    const { signal } = this.#options;
    const ticket = await this.#http.send({ method: "POST", path: "/v1/live-tickets", signal }, readTicket);
    return [PROTOCOL, `ticket.${ticket}`];
  }
}

/** The run of the call, and the sequence of the newest stored event that the loop has. */
interface Place {
  readonly runId: string;
  sequence: number;
}

interface Arrived {
  readonly event: Event;
  /** Absent for chunks. */
  readonly sequence: number | undefined;
}

function asIs(error: unknown): unknown {
  return error;
}

function readTicket(json: unknown): string {
  if (isObject(json) && typeof json["ticket"] === "string") return json["ticket"];
  throw unexpectedAnswer("The answer has no ticket");
}

function closed(code: number, reason: string): FairleadError {
  if (TRY_AGAIN.has(code) && reason === "") return connectionLost();
  const details = { closeCode: String(code) };
  const message = reason === "" ? `The server has closed the live call with ${code}.` : reason;
  return new FairleadError(message, { ...kindOf(code), details });
}

function kindOf(code: number): Pick<FairleadError, "code" | "reason"> {
  if (TRY_AGAIN.has(code)) return { code: "UNAVAILABLE", reason: "CONNECTION_LOST" };
  if (code === 1002) return { code: "NOT_FOUND", reason: "SESSION_NOT_FOUND" };
  if (code === 1008) return { code: "PERMISSION_DENIED", reason: "LIVE_CALL_CLOSED" };
  if (code === 1011) return { code: "INTERNAL", reason: "RUN_FAILED" };
  return { code: "INVALID_ARGUMENT", reason: "LIVE_CALL_CLOSED" };
}
