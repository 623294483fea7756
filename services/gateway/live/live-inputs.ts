import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { LiveInput } from "#ports/runs/live-runner-service.ts";
import type { LiveShare } from "./live-account.ts";

/** Messages that went to a runner and were not taken: three minutes of audio at 16 kHz in base64. */
const MAX_GIVEN_BYTES = 8 * 1024 * 1024;
/** Messages that no runner has read. Beyond that the client is not read. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** The cost of a message in addition to its text. */
const MESSAGE_BYTES = 200;

export interface LiveInputsOptions {
  /** Where the messages are counted while they are kept. */
  readonly share: LiveShare;
  /** Called when `isFull` becomes false. */
  readonly onRoom: () => void;
  /** Called when media is dropped. */
  readonly onDrop?: ((messages: number) => void) | undefined;
  /** Called when the call keeps more than it may, and no media is left to drop. */
  readonly onOverflow: () => void;
  /** The number of the first message; 1 when absent. */
  readonly first?: number | undefined;
}

interface Kept extends LiveInput {
  readonly bytes: number;
}

/**
 * The messages of one client of a live run: those that its runner has not read, and those that have to be sent again if
 * the runner is lost. One reader at a time; a new one begins with the first message that was not taken.
 *
 * Bounded: the client is not read while much is waiting, and of what was given to a runner the oldest media is dropped,
 * which is then missing only if the runner is lost. The same is done while all calls together keep too much.
 */
export class LiveInputs {
  #last: number;
  #given: Kept[] = [];
  #givenBytes = 0;
  #waiting: Kept[] = [];
  #waitingBytes = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;
  readonly #options: LiveInputsOptions;

  constructor(options: LiveInputsOptions) {
    this.#options = options;
    this.#last = (options.first ?? 1) - 1;
  }

  /** Whether the client should not be read for now. */
  get isFull(): boolean {
    return this.#waitingBytes > MAX_WAITING_BYTES;
  }

  add(request: LiveRequest, textBytes: number): void {
    if (this.#hasEnded) return;
    this.#last += 1;
    const bytes = textBytes + MESSAGE_BYTES;
    this.#waiting.push({ n: this.#last, request, bytes });
    this.#waitingBytes += bytes;
    const { share, onOverflow } = this.#options;
    share.change(bytes);
    if (share.isOver) this.#dropMedia(share.limit(MAX_GIVEN_BYTES));
    if (share.isOver) onOverflow();
    this.#wake?.();
  }

  /** The client has left: the reader gets what is left, and then the end. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** Forgets the messages up to `n`. */
  taken(n: number): void {
    const rest = this.#given.findIndex((input) => input.n > n);
    const gone = this.#given.splice(0, rest === -1 ? this.#given.length : rest);
    for (const { bytes } of gone) this.#forget(bytes);
  }

  /** The messages that were not taken, then those that arrive, until the client leaves or the signal aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<LiveInput, void, undefined> {
    this.#giveAgain();
    const wake = (): void => this.#wake?.();
    signal.addEventListener("abort", wake);
    try {
      while (!signal.aborted) {
        const next = this.#give();
        if (next !== undefined) yield next;
        else if (this.#hasEnded) return;
        else await this.#change();
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #giveAgain(): void {
    this.#waiting = [...this.#given, ...this.#waiting];
    this.#waitingBytes += this.#givenBytes;
    this.#given = [];
    this.#givenBytes = 0;
  }

  #give(): LiveInput | undefined {
    const next = this.#waiting.shift();
    if (next === undefined) return undefined;
    const wasFull = this.isFull;
    this.#waitingBytes -= next.bytes;
    this.#given.push(next);
    this.#givenBytes += next.bytes;
    if (this.#givenBytes > MAX_GIVEN_BYTES) this.#dropMedia(MAX_GIVEN_BYTES);
    if (wasFull && !this.isFull) this.#options.onRoom();
    return next;
  }

  /** Drops the oldest given media, down to half of the limit, so that this is seldom done. */
  #dropMedia(limit: number): void {
    const before = this.#given.length;
    this.#given = this.#given.filter(({ request, bytes }) => {
      if (this.#givenBytes <= limit / 2 || request.blob === undefined) return true;
      this.#forget(bytes);
      return false;
    });
    this.#options.onDrop?.(before - this.#given.length);
  }

  #forget(bytes: number): void {
    this.#givenBytes -= bytes;
    this.#options.share.change(-bytes);
  }

  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }
}
