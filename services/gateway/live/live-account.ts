/**
 * Counts the bytes that the live calls of a process keep: messages of clients, and events for them. All calls have one
 * limit, and each an equal share of it. While all together keep less, a call may keep more than its share; beyond that
 * a call that keeps more has to give it up. So all keep twice the limit at most, however many calls there are.
 */
export class LiveAccount {
  readonly #most: number;
  #calls = 0;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** The bytes of all calls. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes > this.#most;
  }

  /** The share of one call. */
  get share(): number {
    return this.#most / Math.max(this.#calls, 1);
  }

  open(): LiveShare {
    this.#calls += 1;
    return new LiveShare(this, {
      change: (bytes) => {
        this.#bytes += bytes;
      },
      close: () => {
        this.#calls -= 1;
      },
    });
  }
}

interface Booking {
  change(bytes: number): void;
  close(): void;
}

/** The bytes of one call. */
export class LiveShare {
  readonly #account: LiveAccount;
  readonly #booking: Booking;
  #bytes = 0;
  #isClosed = false;

  constructor(account: LiveAccount, booking: Booking) {
    this.#account = account;
    this.#booking = booking;
  }

  /** Whether the call must give something up. */
  get isOver(): boolean {
    return this.#account.isFull && this.#bytes > this.#account.share;
  }

  /** A limit of a part of what the call keeps: `most`, or the call's share if that is less. */
  limit(most: number): number {
    return Math.min(most, this.#account.share);
  }

  /** Adds to what the call keeps; negative for what it has given up. */
  change(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#booking.change(bytes);
  }

  /** The call keeps nothing any more. */
  close(): void {
    if (this.#isClosed) return;
    this.change(-this.#bytes);
    this.#isClosed = true;
    this.#booking.close();
  }
}
