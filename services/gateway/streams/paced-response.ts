import type { ServerResponse } from "node:http";

export interface PacedResponseOptions {
  /** How long the reader may take nothing. */
  readonly stallMs: number;
  /** The client is gone: it left, or took nothing for too long. Not called after `end`. */
  readonly onGone: (why: "left" | "stalled") => void;
}

// A reader proves that it is alive by each chunk it takes: with larger ones a slow line would look like a dead one.
const CHUNK_BYTES = 64 * 1024;

/** Writes to a response no faster than its reader takes it, so that nothing is kept here beyond what the socket has not taken yet. */
export class PacedResponse {
  readonly #response: ServerResponse;
  readonly #options: PacedResponseOptions;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(response: ServerResponse, options: PacedResponseOptions) {
    this.#response = response;
    this.#options = options;
    response.on("close", () => this.#leave("left"));
    response.on("drain", () => this.#resume());
    // A broken connection is followed by "close"; without a listener it would end the process.
    response.on("error", ignore);
    // The client may have left while there was nothing to listen yet.
    if (response.destroyed) this.#leave("left");
  }

  /** Whether the response has ended or its client is gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the reader has yet to take what was written. */
  get isWaiting(): boolean {
    return this.#wake !== undefined;
  }

  /** Undefined when the reader keeps up, else a promise of the moment when it has caught up or is gone. */
  write(text: string): Promise<void> | undefined {
    if (this.#isOver || text === "") return undefined;
    if (text.length > CHUNK_BYTES) return this.#writeChunks(Buffer.from(text));
    return this.#response.write(text) ? undefined : this.#drained();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.end();
  }

  async #writeChunks(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#isOver; at += CHUNK_BYTES) {
      if (!this.#response.write(bytes.subarray(at, at + CHUNK_BYTES))) await this.#drained();
    }
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const stall = setTimeout(() => this.#leave("stalled"), this.#options.stallMs).unref();
    await promise;
    clearTimeout(stall);
  }

  #resume(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #leave(why: "left" | "stalled"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.destroy();
    this.#resume();
    this.#options.onGone(why);
  }
}

function ignore(): void {}
