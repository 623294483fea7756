import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { EVENT_STREAM_TYPE } from "./errors.ts";

export interface SseOptions {
  /** Pause after which an idle stream gets a comment. */
  readonly heartbeatMs: number;
  /** How long the reader may take nothing. */
  readonly stallMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The client is gone: it left, or took nothing for too long. Not called after `end`. */
  readonly onGone: (why: "left" | "stalled") => void;
}

const HEARTBEAT = ": hb\n\n";

// A reader proves that it is alive by each piece it takes: with larger ones a slow line would look like a dead one.
const PIECE_BYTES = 64 * 1024;

/**
 * Server-sent events on a response that the framework has let go of. One `write` is one write to the socket, so that
 * frames which are ready together leave together; nothing is kept here beyond what the socket has not taken yet.
 */
export class SseStream {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #onGone: SseOptions["onGone"];
  readonly #heartbeat: NodeJS.Timeout;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(reply: FastifyReply, options: SseOptions) {
    const headers = reply.getHeaders();
    reply.hijack();
    this.#response = reply.raw;
    this.#stallMs = options.stallMs;
    this.#onGone = options.onGone;
    this.#response.writeHead(200, {
      // What hooks have set, such as CORS headers. Fastify's header type knows more than Node's, whose it is.
      ...(headers as Record<string, string>),
      ...options.headers,
      "content-type": EVENT_STREAM_TYPE,
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    this.#response.flushHeaders();
    this.#response.on("close", () => this.#leave("left"));
    this.#response.on("drain", () => this.#resume());
    // A broken connection is followed by "close"; without a listener it would end the process.
    this.#response.on("error", ignore);
    this.#heartbeat = setTimeout(() => this.#beat(), options.heartbeatMs).unref();
    // The client may have left while there was nothing to listen yet.
    if (this.#response.destroyed) this.#leave("left");
  }

  /** Undefined when the reader keeps up, else a promise of the moment when it has caught up or is gone. */
  write(frames: string): Promise<void> | undefined {
    if (this.#isOver || frames === "") return undefined;
    this.#heartbeat.refresh();
    if (frames.length > PIECE_BYTES) return this.#writePieces(Buffer.from(frames));
    return this.#response.write(frames) ? undefined : this.#drained();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#heartbeat);
    this.#response.end();
  }

  async #writePieces(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isOver; at += PIECE_BYTES) {
      if (!this.#response.write(bytes.subarray(at, at + PIECE_BYTES))) await this.#drained();
    }
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const stall = setTimeout(() => this.#leave("stalled"), this.#stallMs).unref();
    await promise;
    clearTimeout(stall);
  }

  #beat(): void {
    // A reader that does not take the events will not take a comment either; the stall timer decides about it.
    if (this.#wake === undefined && !this.#isOver) this.#response.write(HEARTBEAT);
    this.#heartbeat.refresh();
  }

  #resume(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #leave(why: "left" | "stalled"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#heartbeat);
    this.#response.destroy();
    this.#resume();
    this.#onGone(why);
  }
}

function ignore(): void {}
