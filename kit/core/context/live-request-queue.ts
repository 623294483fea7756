import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Blob, Content } from "#kit/events/content.ts";
import type { LiveRequest } from "./live-request.ts";

/** Audio arrives in pieces of some ten milliseconds: this is half a minute that nobody has read. */
const MAX_WAITING = 2000;

/**
 * What a client says while a live run goes on. Many may write, one reads: the agent at work; after a hand-over the next
 * agent reads on. Reading ends when the queue is closed and empty.
 */
export class LiveRequestQueue {
  readonly #waiting: LiveRequest[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Says something as a turn, or answers calls. */
  sendContent(content: Content): void {
    this.send({ content });
  }

  /** Passes on a piece of media as it comes. */
  sendRealtime(blob: Blob): void {
    this.send({ blob });
  }

  /**
   * Adds a request; after one with `close` the queue takes nothing more. Throws `QUEUE_FULL`, and `INVALID_FIELD` once
   * it is closed.
   */
  send(request: LiveRequest): void {
    if (this.#closed) throw new PlatformError("INVALID_FIELD", "The live queue is closed: start another run.");
    if (this.#waiting.length >= MAX_WAITING) {
      throw new PlatformError("QUEUE_FULL", `${MAX_WAITING} live requests wait to be read. Send more slowly.`);
    }
    if (request.close === true) this.#closed = true;
    if (request.content !== undefined || request.blob !== undefined) this.#waiting.push(request);
    this.#wake?.();
  }

  /** Says that nothing follows. Idempotent. */
  close(): void {
    if (!this.#closed) this.send({ close: true });
  }

  /** Takes the next request; undefined when none waits. */
  take(): LiveRequest | undefined {
    return this.#waiting.shift();
  }

  /**
   * Whether a request waits, once that is known: false when the queue is closed and empty. Rejects with the signal's
   * reason.
   */
  async arrives(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#waiting.length > 0) return true;
      if (this.#closed) return false;
      await this.#change(signal);
    }
  }

  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    if (this.#wake === wake) this.#wake = undefined;
  }
}
