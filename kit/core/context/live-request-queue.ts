import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Blob, Content } from "#kit/events/content.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { LiveRequest } from "./live-request.ts";

/** Audio arrives in chunks of about ten milliseconds, so this many unread requests are half a minute of audio. */
const MAX_WAITING = 2000;

/**
 * The client's messages during a live run. It may have many writers and has one reader: the agent that runs; after a
 * transfer, the next agent. Reading ends when the queue is closed and empty.
 */
export class LiveRequestQueue {
  readonly #waiting: LiveRequest[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Sends a turn of the user, or answers to calls. */
  sendContent(content: Content): void {
    this.send({ content });
  }

  /** Sends a chunk of media. */
  sendRealtime(blob: Blob): void {
    this.send({ blob });
  }

  /**
   * Adds a request; after one with `close` the queue accepts no more. Throws `QUEUE_FULL`, `INVALID_FIELD` once it is
   * closed, and `INVALID_MESSAGE` for an answer to a credential request, because a credential must not reach a model.
   */
  send(request: LiveRequest): void {
    if (this.#closed) throw new PlatformError("INVALID_FIELD", "The live queue is closed: start another run.");
    if (request.content?.parts?.some(({ functionResponse }) => functionResponse?.name === CREDENTIAL_CALL) === true)
      throw credentialAnswerRefused();
    if (this.#waiting.length >= MAX_WAITING) {
      throw new PlatformError("QUEUE_FULL", `${MAX_WAITING} live requests wait to be read. Send more slowly.`);
    }
    if (request.close === true) this.#closed = true;
    if (request.content !== undefined || request.blob !== undefined) this.#waiting.push(request);
    this.#wake?.();
  }

  /** Closes the queue. Idempotent. */
  close(): void {
    if (!this.#closed) this.send({ close: true });
  }

  /** Takes the next request; undefined when none waits. */
  take(): LiveRequest | undefined {
    return this.#waiting.shift();
  }

  /**
   * Resolves to true when a request waits, and to false when the queue is closed and empty. Rejects with the signal's
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

/** The error for an answer to a request for a credential on a live connection. */
export function credentialAnswerRefused(): PlatformError {
  return new PlatformError(
    "INVALID_MESSAGE",
    `A live run takes no answer to ${CREDENTIAL_CALL}: send it as the message of a run, with runAsync or POST /run.`,
    { details: { field: "content" } },
  );
}
