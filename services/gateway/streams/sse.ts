import type { FastifyReply } from "fastify";
import { EVENT_STREAM_TYPE } from "../http/errors.ts";
import { PacedResponse, type PacedResponseOptions, type Pausable } from "./paced-response.ts";

export interface SseOptions extends PacedResponseOptions {
  /** Time after which an idle stream gets a heartbeat. */
  readonly heartbeatMs: number;
  /**
   * What keeps an idle connection open. ADK's clients lose a frame that a comment stands before: they take the text up to
   * the empty line, and drop it unless it begins with `data: `. Their streams get the beginning of the next frame's data
   * instead, and then spaces, which JSON permits. A comment if absent.
   */
  readonly heartbeat?: "comment" | "spaces";
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the first frame is written right after this, and the head with it. */
  readonly isBegun?: boolean;
}

/** What each frame of an event begins with. */
export const DATA = "data: ";

// Without an empty line, for which some clients parse a block: it would have no data.
const COMMENT = ": hb\n";

/** Between two frames, in one that heartbeats have begun, or in one that its writer or its reader has not finished. */
type Position = "between" | "begun" | "within";

/**
 * Server-sent events on a hijacked response. It owns the heartbeat's timer until the end or until the client has left.
 * One `write` is one write to the socket, so that frames which are ready together are sent together; only bytes that
 * the socket has not sent yet are in memory.
 */
export class SseStream {
  readonly #paced: PacedResponse;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #hasSpaces: boolean;
  #position: Position = "between";

  constructor(
    reply: FastifyReply,
    { heartbeatMs, heartbeat = "comment", headers: own, isBegun, stallMs, onGone, answers }: SseOptions,
  ) {
    this.#hasSpaces = heartbeat === "spaces";
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
    if (isBegun !== true) response.flushHeaders();
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
  write(text: string): Promise<void> | undefined {
    if (this.#paced.isOver || text === "") return undefined;
    return this.#written(text, this.#paced.write(this.#unsent(text)));
  }

  /** As `write`, for frames that are the only ones in their turn of the event loop. */
  writeAlone(frames: string): Promise<void> | undefined {
    if (this.#paced.isOver || frames === "") return undefined;
    return this.#written(frames, this.#paced.writeAlone(this.#unsent(frames)));
  }

  end(): void {
    if (this.#paced.isOver) return;
    clearTimeout(this.#heartbeat);
    this.#paced.end();
  }

  /**
   * Ends with these frames. Inside another frame they would be parts of its data, so the connection breaks there: readers
   * discard a frame without an end.
   */
  endWith(frames: string): void {
    if (this.#position !== "within") {
      void this.write(frames);
      return this.end();
    }
    clearTimeout(this.#heartbeat);
    this.#paced.break();
  }

  /** The text without what heartbeats have sent of it. */
  #unsent(text: string): string {
    this.#heartbeat.refresh();
    const isBegun = this.#position === "begun";
    this.#position = "within";
    return isBegun ? text.slice(DATA.length) : text;
  }

  #written(text: string, wait: Promise<void> | undefined): Promise<void> | undefined {
    if (!text.endsWith("\n\n")) return wait;
    if (wait !== undefined)
      return wait.then(() => {
        this.#position = "between";
      });
    this.#position = "between";
    return undefined;
  }

  #beat(): void {
    this.#heartbeat.refresh();
    // A reader that takes no events takes no heartbeat either; the stall timer ends it.
    if (this.#position === "within") return;
    if (!this.#hasSpaces) return this.#paced.writeAside(COMMENT);
    this.#paced.writeAside(this.#position === "begun" ? " " : DATA);
    this.#position = "begun";
  }
}
