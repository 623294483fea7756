import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { LiveInput } from "#ports/runs/live-runner-service.ts";

/** Messages that went to a runner and were not taken: three minutes of audio at 16 kHz in base64. */
const MAX_GIVEN_BYTES = 8 * 1024 * 1024;
/** Messages that no runner has read. Beyond that the client is not read. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** The cost of a message in addition to its text. */
const MESSAGE_BYTES = 200;

interface Kept extends LiveInput {
  readonly bytes: number;
}

/**
 * The messages of one client of a live run: those that its runner has not read, and those that have to be sent again if
 * the runner is lost. One reader at a time; a new one begins with the first message that was not taken.
 *
 * Bounded: the client is not read while much is waiting, and of what was given to a runner the oldest media is dropped,
 * which is then missing only if the runner is lost.
 */
export class LiveInputs {
  #last: number;
  #given: Kept[] = [];
  #givenBytes = 0;
  #waiting: Kept[] = [];
  #waitingBytes = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;
  readonly #onRoom: () => void;
  readonly #onDrop: (messages: number) => void;

  /**
   * `onRoom` is called when `isFull` becomes false, `onDrop` when media is dropped; `first` is the number of the first
   * message.
   */
  constructor(onRoom: () => void, onDrop: (messages: number) => void = () => {}, first = 1) {
    this.#onRoom = onRoom;
    this.#onDrop = onDrop;
    this.#last = first - 1;
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
    for (const { bytes } of gone) this.#givenBytes -= bytes;
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
    if (this.#givenBytes > MAX_GIVEN_BYTES) this.#dropMedia();
    if (wasFull && !this.isFull) this.#onRoom();
    return next;
  }

  /** Drops the oldest media, down to half of the limit, so that this is seldom done. */
  #dropMedia(): void {
    const before = this.#given.length;
    this.#given = this.#given.filter(({ request, bytes }) => {
      if (this.#givenBytes <= MAX_GIVEN_BYTES / 2 || request.blob === undefined) return true;
      this.#givenBytes -= bytes;
      return false;
    });
    this.#onDrop(before - this.#given.length);
  }

  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }
}
