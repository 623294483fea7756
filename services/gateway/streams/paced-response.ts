import type { ServerResponse } from "node:http";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import { ChunkedBody } from "./chunked-body.ts";

export interface PacedResponseOptions {
  /** Longest time in which the reader may take nothing. */
  readonly stallMs: number;
  /** Called when the client has left or has taken nothing for too long; not called after `end`. */
  readonly onGone: (why: "left" | "stalled") => void;
  /** Counts the bytes that wait for a reader. */
  readonly answers: AnswerReader;
}

/** Something that was read ahead for a reader, and can be read again. */
export interface Pausable {
  /** Called when the reader takes nothing: forgets what was read ahead. */
  pause(): void;
}

/** A reader that takes nothing for so long keeps only what its connection has. */
const PAUSE_MS = 200;

// Each chunk that a reader takes resets the stall timer; with larger chunks a slow connection would look stalled.
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Writes the body of a response whose head is written, no faster than its reader takes it, so that only bytes that the
 * socket has not sent yet are in memory.
 */
export class PacedResponse {
  readonly #response: ServerResponse;
  readonly #body: ChunkedBody;
  readonly #options: PacedResponseOptions;
  readonly #gone = new AbortController();
  #isOver = false;
  #wake: (() => void) | undefined;
  /** What was read ahead for this reader. */
  readonly ahead = new Set<Pausable>();

  constructor(response: ServerResponse, options: PacedResponseOptions) {
    this.#response = response;
    this.#body = new ChunkedBody(response);
    this.#options = options;
    options.answers.begin(this.gone);
    response.on("close", () => this.#leave("left"));
    response.on("drain", () => this.#resume());
    // A broken connection emits "close" after "error", which without a listener would end the process.
    response.on("error", ignore);
    // The client may have left before the listeners were added.
    if (response.destroyed) this.#leave("left");
  }

  /** Whether the response has ended or its client has left. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborted when the client has left. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Returns undefined if the reader keeps up, otherwise a promise that resolves when it has caught up or left. */
  write(text: string): Promise<void> | undefined {
    if (this.#isOver || text === "") return undefined;
    if (text.length > CHUNK_CHARACTERS) return this.#writeChunks(text);
    return this.#body.write(text) ? undefined : this.#drained();
  }

  /** As `write`, for a text that is the only one in its turn of the event loop. */
  writeAlone(text: string): Promise<void> | undefined {
    if (this.#isOver || text === "") return undefined;
    return this.#body.writeAlone(text) ? undefined : this.write(text);
  }

  /** Writes a text that is too short for its reader to be waited for, unless the response has ended. */
  writeAside(text: string): void {
    if (!this.#isOver) this.#body.write(text);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#body.end();
  }

  /** Closes the connection before the end of the body, which its reader notices. */
  break(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.destroy();
    this.#gone.abort();
    this.#resume();
  }

  /** Parts of a text are not copies of it. */
  async #writeChunks(text: string): Promise<void> {
    for (let at = 0; at < text.length && !this.#isOver; ) {
      const end = cutAt(text, at + CHUNK_CHARACTERS);
      const isTaken = this.#body.write(text.slice(at, end));
      at = end;
      if (!isTaken) await this.#drained(text.length - at);
    }
  }

  /** `waiting` bytes follow when the connection has taken what was written. */
  async #drained(waiting = 0): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const { stallMs, answers } = this.#options;
    const stall = (): void => this.#leave("stalled");
    using _ = answers.hold(this.#response.writableLength + waiting, stall);
    const pauseMs = Math.min(PAUSE_MS, stallMs);
    let timer = setTimeout(() => {
      for (const each of this.ahead) each.pause();
      timer = setTimeout(stall, stallMs - pauseMs).unref();
    }, pauseMs).unref();
    await promise;
    clearTimeout(timer);
  }

  #resume(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #leave(why: "left" | "stalled"): void {
    if (this.#isOver) return;
    this.break();
    this.#options.onGone(why);
  }
}

/** The end of a part of the text, which splits no character of two code units. */
function cutAt(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function ignore(): void {}
