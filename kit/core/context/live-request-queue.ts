import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Blob, Content } from "#kit/events/content.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { LiveRequest } from "./live-request.ts";

/** Audio arrives in chunks of about ten milliseconds, so this many unread requests are half a minute of audio. */
const MAX_WAITING = 2000;
/** Characters of all unread requests together. A single larger request is accepted by an empty queue. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

/** Options of a `LiveRequestQueue`. */
export interface LiveRequestQueueOptions {
  /** Called with the number of the newest request that is not needed again, not even on another connection. */
  readonly onSettled?: (n: number) => void;
}

interface Waiting {
  readonly request: LiveRequest;
  readonly n: number;
  readonly size: number;
}

/**
 * The client's messages during a live run. It may have many writers and has one reader: the agent that runs; after a
 * transfer, the next agent. Reading ends when the queue is closed and empty. Requests are numbered from 1, so that the
 * reader can report which of them are not needed again (`settle`).
 *
 * @example
 * ```ts
 * const liveRequestQueue = new LiveRequestQueue();
 * liveRequestQueue.sendContent(userContent("Hello!"));
 * for await (const event of runner.runLive({ userId: "ada", sessionId: "talk", liveRequestQueue }))
 *   if (event.turnComplete === true) liveRequestQueue.close();
 * ```
 */
export class LiveRequestQueue {
  readonly #onSettled: ((n: number) => void) | undefined;
  readonly #waiting: Waiting[] = [];
  #characters = 0;
  #closed = false;
  #newest = 0;
  #taken = 0;
  #settled = 0;
  #wake: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  /** The signals of the newest reader and writer: listened to once each, and not for each wait. */
  readonly #signals: { reader?: AbortSignal; writer?: AbortSignal } = {};

  constructor({ onSettled }: LiveRequestQueueOptions = {}) {
    this.#onSettled = onSettled;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether the queue is closed and empty. */
  get isOver(): boolean {
    return this.#closed && this.#waiting.length === 0;
  }

  /** The number of the newest request that was sent; 0 if there is none. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the newest request that was taken; 0 if there is none. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether a writer should send more: less than half of what may wait is waiting. */
  get hasRoom(): boolean {
    return this.#waiting.length < MAX_WAITING / 2 && this.#characters < MAX_WAITING_CHARACTERS / 2;
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
   * closed, and `INVALID_MESSAGE` for a content with function calls or of another role than the user's, and for an
   * answer to a credential request, because a credential must not reach a model. `n`: the request's number, higher than
   * those before; the next one if absent.
   */
  send(request: LiveRequest, n = this.#newest + 1): void {
    if (this.#closed) throw new PlatformError("INVALID_FIELD", "The live queue is closed: start another run.");
    if (request.content !== undefined) checkContent(request.content);
    const size = sizeOf(request);
    if (this.#waiting.length >= MAX_WAITING)
      throw new PlatformError("QUEUE_FULL", `${MAX_WAITING} live requests wait to be read. Send more slowly.`);
    if (this.#characters > 0 && this.#characters + size > MAX_WAITING_CHARACTERS)
      throw new PlatformError(
        "QUEUE_FULL",
        `${MAX_WAITING_CHARACTERS} characters of live requests wait to be read. Send more slowly.`,
      );
    this.#newest = n;
    if (request.close === true) this.#closed = true;
    if (hasEffect(request)) {
      this.#waiting.push({ request, n, size });
      this.#characters += size;
    }
    this.#wake?.();
  }

  /** Closes the queue. Idempotent. */
  close(): void {
    if (!this.#closed) this.send({ close: true });
  }

  /** Takes the next request; undefined when none waits. */
  take(): LiveRequest | undefined {
    const next = this.#waiting.shift();
    if (next === undefined) return undefined;
    this.#taken = next.n;
    this.#characters -= next.size;
    if (this.hasRoom) this.#wakeWriter?.();
    return next.request;
  }

  /** Reports that the requests up to this number are not needed again. Lower numbers than before have no effect. */
  settle(n: number): void {
    if (n <= this.#settled) return;
    this.#settled = n;
    this.#onSettled?.(n);
  }

  /**
   * Resolves to true when a request waits, and to false when the queue is closed and empty. Rejects with the signal's
   * reason.
   */
  async arrives(signal: AbortSignal): Promise<boolean> {
    this.#listen("reader", signal, this.#onReaderAbort);
    for (;;) {
      signal.throwIfAborted();
      if (this.#waiting.length > 0) return true;
      if (this.#closed) {
        this.#listen("reader", undefined, this.#onReaderAbort);
        return false;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves when the queue has room. Rejects with the signal's reason. For one writer. */
  async room(signal: AbortSignal): Promise<void> {
    this.#listen("writer", signal, this.#onWriterAbort);
    for (;;) {
      signal.throwIfAborted();
      if (this.hasRoom) return;
      await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
    }
  }

  readonly #onReaderAbort = (): void => this.#wake?.();
  readonly #onWriterAbort = (): void => this.#wakeWriter?.();

  /** Keeps one listener for all waits of a role, as media come fifty times a second. */
  #listen(role: "reader" | "writer", signal: AbortSignal | undefined, listener: () => void): void {
    const before = this.#signals[role];
    if (before === signal) return;
    before?.removeEventListener("abort", listener);
    signal?.addEventListener("abort", listener, { once: true });
    this.#signals[role] = signal;
  }
}

function hasEffect({ content, blob, activityStart, activityEnd, audioStreamEnd, stateDelta }: LiveRequest): boolean {
  return (
    content !== undefined ||
    blob !== undefined ||
    activityStart === true ||
    activityEnd === true ||
    audioStreamEnd === true ||
    stateDelta !== undefined
  );
}

function sizeOf({ blob, content, stateDelta }: LiveRequest): number {
  const media = blob?.data?.length ?? 0;
  const text = content === undefined ? 0 : JSON.stringify(content).length;
  return media + text + (stateDelta === undefined ? 0 : JSON.stringify(stateDelta).length);
}

function checkContent({ role = "user", parts = [] }: Content): void {
  if (role !== "user") throw refused("content.role", `is "${role}": a client's content has the role "user"`);
  if (parts.some(({ functionCall }) => functionCall !== undefined))
    throw refused("content.parts", "has a function call: clients send answers to calls, and only models call");
  if (parts.some(({ functionResponse }) => functionResponse?.name === CREDENTIAL_CALL)) throw credentialAnswerRefused();
}

function refused(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_MESSAGE", `${field} ${problem}.`, { details: { field } });
}

/** The error for an answer to a request for a credential on a live connection. */
export function credentialAnswerRefused(): PlatformError {
  return new PlatformError(
    "INVALID_MESSAGE",
    `A live run takes no answer to ${CREDENTIAL_CALL}: send it as the message of a run, with runAsync or POST /run.`,
    { details: { field: "content" } },
  );
}
