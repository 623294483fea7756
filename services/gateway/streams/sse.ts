import type { FastifyReply } from "fastify";
import { EVENT_STREAM_TYPE } from "../http/errors.ts";
import { PacedResponse, type PacedResponseOptions, type Pausable } from "./paced-response.ts";

export interface SseOptions extends PacedResponseOptions {
  /** Time after which an idle stream gets a comment. */
  readonly heartbeatMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

// Without an empty line, for which some clients parse a block: it would have no data.
const HEARTBEAT = ": hb\n";

/**
 * Server-sent events on a hijacked response. It owns the heartbeat's timer until the end or until the client has left.
 * One `write` is one write to the socket, so that frames which are ready together are sent together; only bytes that
 * the socket has not sent yet are in memory.
 */
export class SseStream {
  readonly #paced: PacedResponse;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(reply: FastifyReply, { heartbeatMs, headers: own, stallMs, onGone, answers }: SseOptions) {
    const headers = reply.getHeaders();
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      // Headers of hooks, such as CORS headers. Fastify's header type is wider than Node's.
      ...(headers as Record<string, string>),
      ...own,
      "content-type": EVENT_STREAM_TYPE,
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    this.#heartbeat = setTimeout(() => this.#beat(), heartbeatMs).unref();
    const leave = (why: "left" | "stalled"): void => {
      clearTimeout(this.#heartbeat);
      onGone(why);
    };
    this.#paced = new PacedResponse(response, { stallMs, onGone: leave, answers });
  }

  get isOver(): boolean {
    return this.#paced.isOver;
  }

  /** What was read ahead for this reader. */
  get ahead(): Set<Pausable> {
    return this.#paced.ahead;
  }

  /** Returns undefined if the reader keeps up, otherwise a promise that resolves when it has caught up or left. */
  write(frames: string): Promise<void> | undefined {
    if (this.#paced.isOver || frames === "") return undefined;
    this.#heartbeat.refresh();
    return this.#paced.write(frames);
  }

  /** As `write`, for frames that are the only ones in their turn of the event loop. */
  writeAlone(frames: string): Promise<void> | undefined {
    if (this.#paced.isOver || frames === "") return undefined;
    this.#heartbeat.refresh();
    return this.#paced.writeAlone(frames);
  }

  end(): void {
    if (this.#paced.isOver) return;
    clearTimeout(this.#heartbeat);
    this.#paced.end();
  }

  #beat(): void {
    // A reader that takes no events takes no comment either; the stall timer ends it.
    if (!this.#paced.isWaiting) this.#paced.writeAside(HEARTBEAT);
    this.#heartbeat.refresh();
  }
}
