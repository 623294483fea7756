import type { EventEmitter } from "node:events";
import type { WebSocket } from "ws";
import { type LiveRequest, liveRequestFromJson } from "#kit/core/context/live-request.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { RateBudget } from "#ports/quota/rate-budget.ts";
import type { Pausable } from "../streams/paced-response.ts";
import type { PacedWriter } from "../streams/write-pieces.ts";
import type { LiveShare } from "./live-account.ts";
import { CLOSE, closeFor, closeReason } from "./live-close.ts";

/** Audio comes in frames of 10 to 250 ms, pictures each second. */
const FRAMES_PER_SECOND = 200;
const FRAMES_IN_A_BURST = 1000;
/** How long a client that sends too fast is not read. */
const RATE_PAUSE_MS = 50;
/** A reader that is so far behind is waited for, or earlier if there are many calls. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** How long the peer may take for its side of the closing handshake. */
const CLOSE_TIMEOUT_MS = 1000;

export interface LiveSocketOptions {
  readonly clock: Clock;
  /** Longest time in which the client takes nothing. */
  readonly stallMs: number;
  /** Longest time in which the client sends nothing; 0 for no limit. */
  readonly idleMs: number;
  /** Longest message, where the program that this server is mounted in decides about its sockets. */
  readonly maxBytes: number;
  /** Takes a message and returns whether the client is to be read on. Throws for one that is refused. */
  readonly onRequest: (request: LiveRequest, bytes: number) => boolean;
  /** The client has left, or was closed, with this code. Called once. */
  readonly onClose: (code: number) => void;
  /** Counts what has come of a message that is not complete. */
  readonly share: LiveShare;
  /** The connection below the socket. */
  readonly connection: Pick<EventEmitter, "on">;
}

/**
 * The client's side of a live run: reads its messages no faster than they are taken, and writes text no faster than the
 * client takes it. It closes the socket for what is not a live request, and for a reader that takes nothing.
 */
export class LiveSocket implements PacedWriter {
  /** The parts of answers that were read ahead for this client. */
  readonly ahead = new Set<Pausable>();
  readonly #socket: WebSocket;
  readonly #options: LiveSocketOptions;
  readonly #rate: RateBudget;
  #isOver = false;
  #isHeld = false;
  /** Whether the client has answered the last ping, or sent something since. */
  #isAlive = true;
  #heardAt: number;
  #ratePause: NodeJS.Timeout | undefined;
  /** Bytes since the last complete message. */
  #unfinished = 0;

  constructor(socket: WebSocket, options: LiveSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    const { clock } = options;
    this.#rate = new RateBudget({ clock, perSecond: FRAMES_PER_SECOND, mostSaved: FRAMES_IN_A_BURST });
    this.#heardAt = clock.monotonic();
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    options.connection.on("data", (chunk: Buffer) => this.#count(chunk.length));
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary));
    socket.once("close", (code: number) => {
      this.#isOver = true;
      clearTimeout(this.#ratePause);
      options.onClose(code);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Reads the client again. */
  resume(): void {
    this.#isHeld = false;
    if (this.#ratePause === undefined) this.#socket.resume();
  }

  /**
   * Sends a whole message, or the last part of one. Returns undefined if the client keeps up, otherwise a promise that
   * resolves when it has caught up or left.
   */
  send(text: string): Promise<void> | undefined {
    return this.#send(text, true);
  }

  /** Sends a part of a message that is not the last; otherwise like `send`. */
  write(text: string): Promise<void> | undefined {
    return this.#send(text, false);
  }

  /** Pings the client, or ends the connection of one that has not answered the last ping or has long been silent. */
  beat(): void {
    const { clock, idleMs } = this.#options;
    if (!this.#isAlive) return this.#socket.terminate();
    if (idleMs > 0 && clock.monotonic() - this.#heardAt > idleMs)
      return this.close(CLOSE.policy, `No message has come for ${idleMs} ms (LIVE_IDLE_MS).`);
    // A client that is not read cannot answer.
    if (this.#socket.isPaused) return;
    this.#isAlive = false;
    this.#socket.ping();
  }

  close(code: number, reason: string): void {
    if (this.#isOver) return;
    const socket = this.#socket;
    socket.resume();
    socket.close(code, closeReason(reason));
    const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  #send(text: string, isLast: boolean): Promise<void> | undefined {
    const socket = this.#socket;
    if (this.#isOver) return undefined;
    if (socket.bufferedAmount >= this.#options.share.limit(MAX_BUFFERED_BYTES)) return this.#sendSlowly(text, isLast);
    socket.send(text, { fin: isLast });
    return undefined;
  }

  async #sendSlowly(text: string, isLast: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = this.#socket;
    const stalled = setTimeout(() => socket.terminate(), this.#options.stallMs).unref();
    socket.once("close", resolve);
    socket.send(text, { fin: isLast }, () => resolve());
    await promise;
    clearTimeout(stalled);
    socket.off("close", resolve);
  }

  /** Beginnings of messages are kept until their ends come, which may be never. */
  #count(bytes: number): void {
    const { share } = this.#options;
    this.#unfinished += bytes;
    share.change(bytes);
    if (share.isOver && this.#unfinished > share.limit(Number.POSITIVE_INFINITY)) this.overflow();
  }

  /** Closes a call that keeps more than its share while all calls together keep too much. */
  overflow(): void {
    this.close(CLOSE.later, "The live calls of this server keep too much (LIVE_BUFFER_BYTES). Try again soon.");
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#options.share.change(-this.#unfinished);
    this.#unfinished = 0;
    if (this.#isOver || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#isAlive = true;
    this.#heardAt = this.#options.clock.monotonic();
    if (data.length > this.#options.maxBytes) return this.close(CLOSE.tooLong, "The message is too long.");
    if (isBinary) return this.close(CLOSE.notText, "Send live requests as JSON in text frames, media in base64.");
    try {
      if (!this.#options.onRequest(liveRequestFromJson(data.toString()), data.length)) this.#hold();
    } catch (error) {
      const { code, reason } = closeFor(toPlatformError(error));
      return this.close(code, reason);
    }
    if (!this.#rate.take()) this.#pauseForRate();
  }

  #hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  #pauseForRate(): void {
    if (this.#ratePause !== undefined) return;
    this.#socket.pause();
    this.#ratePause = setTimeout(() => {
      this.#ratePause = undefined;
      if (!this.#isHeld) this.#socket.resume();
    }, RATE_PAUSE_MS).unref();
  }
}
