import { PlatformError } from "#kit/errors/platform-error.ts";

export interface AnswerLimits {
  /** Bytes of all answers; 0 for no limit. */
  readonly maxBytes: number;
  /** The part of them that one user may have; 0 for no limit. */
  readonly maxBytesOfUser: number;
}

/** Bytes that are in use until they are given back. */
export interface Room extends Disposable {
  /** Gives back what is over that many bytes. */
  shrink(bytes: number): void;
}

interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  readonly admit: (room: Room) => void;
}

interface Stalled {
  readonly owner: string;
  readonly bytes: number;
  readonly evict: () => void;
  /** Whether it has stalled for a whole interval. */
  isOld: boolean;
}

/** How long an answer waits for room before it is refused. */
const PATIENCE_MS = 5_000;
/** How long a reader may stall while others wait for its bytes: one to two intervals. */
const EVICT_EVERY_MS = 2_000;

/**
 * The bytes in flight of all answers of a process. Whoever answers takes room before it loads anything, and gives it back
 * when the connection has taken the bytes. What finds no room waits: users take turns, and within a user those who came
 * first. Bytes beyond a limit are admitted alone, so that nothing waits forever.
 *
 * A caller must not wait while it has room, because two of them could wait for each other.
 */
export class AnswerAccount {
  readonly #limits: AnswerLimits;
  #used = 0;
  readonly #usedOf = new Map<string, number>();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #stalled = new Set<Stalled>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** The answer to one request of the owner. */
  reader(owner: string): AnswerReader {
    return new AnswerReader(this, owner);
  }

  /** Undefined if the bytes have no room now, or others wait for theirs. */
  take(owner: string, bytes: number): Room | undefined {
    return this.#waiting.size === 0 && this.#obstacle(owner, bytes) === undefined
      ? new TakenRoom(this.#change, owner, bytes)
      : undefined;
  }

  /** Without a signal, throws `ANSWERS_TOO_LARGE` and `USER_ANSWERS_TOO_LARGE` after five seconds. */
  async wait(owner: string, bytes: number, signal?: AbortSignal): Promise<Room> {
    const { promise, resolve, reject } = Promise.withResolvers<Room>();
    const waiter = { owner, bytes, admit: resolve };
    const queue = this.#waiting.get(owner) ?? [];
    queue.push(waiter);
    this.#waiting.set(owner, queue);
    const leave = (error: unknown): void => {
      this.#forget(waiter);
      reject(error);
      this.#serve();
    };
    const onAbort = (): void => leave(signal?.reason);
    const timer = signal === undefined ? setTimeout(() => leave(this.#refusal(owner, bytes)), PATIENCE_MS) : undefined;
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    this.#serve();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Counts bytes that are in memory already. `evict` is called if others wait while it stalls. */
  hold(owner: string, bytes: number, evict: () => void): Room {
    const stalled = { owner, bytes, evict, isOld: false };
    this.#stalled.add(stalled);
    const room = new TakenRoom(this.#change, owner, bytes, () => this.#stalled.delete(stalled));
    if (this.#isOver) this.#watch();
    return room;
  }

  readonly #change = (owner: string, bytes: number): void => {
    this.#used += bytes;
    const used = (this.#usedOf.get(owner) ?? 0) + bytes;
    if (used === 0) this.#usedOf.delete(owner);
    else this.#usedOf.set(owner, used);
    if (bytes < 0 && this.#waiting.size > 0) this.#serve();
  };

  /** Which limit keeps the bytes out. */
  #obstacle(owner: string, bytes: number): keyof AnswerLimits | undefined {
    const { maxBytes, maxBytesOfUser } = this.#limits;
    const ofUser = this.#usedOf.get(owner) ?? 0;
    if (maxBytesOfUser > 0 && ofUser > 0 && ofUser + bytes > maxBytesOfUser) return "maxBytesOfUser";
    if (maxBytes > 0 && this.#used > 0 && this.#used + bytes > maxBytes) return "maxBytes";
    return undefined;
  }

  get #isOver(): boolean {
    return this.#limits.maxBytes > 0 && this.#used > this.#limits.maxBytes;
  }

  /** Admits waiters whose turn it is. The first one that finds no room in the process keeps its turn. */
  #serve(): void {
    for (const [owner, queue] of [...this.#waiting]) {
      const [first] = queue;
      if (first === undefined) continue;
      const obstacle = this.#obstacle(owner, first.bytes);
      if (obstacle === "maxBytes") break;
      if (obstacle !== undefined) continue;
      this.#forget(first);
      // The owner's next turn is after those of all others.
      if (queue.length > 0) {
        this.#waiting.delete(owner);
        this.#waiting.set(owner, queue);
      }
      first.admit(new TakenRoom(this.#change, owner, first.bytes));
    }
    if (this.#waiting.size > 0) this.#watch();
  }

  #forget({ owner, ...waiter }: Waiter): void {
    const queue = this.#waiting.get(owner);
    const at = queue?.findIndex(({ admit }) => admit === waiter.admit) ?? -1;
    if (at !== -1) queue?.splice(at, 1);
    if (queue?.length === 0) this.#waiting.delete(owner);
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#evict(), EVICT_EVERY_MS).unref();
  }

  /** Cuts off readers that have stalled longest, as many as the waiters need. */
  #evict(): void {
    if (this.#waiting.size === 0 && !this.#isOver) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const needed = new Map<string, number>();
    for (const [owner, [first]] of this.#waiting) if (first !== undefined) needed.set(owner, first.bytes);
    let missing = Math.max(0, ...needed.values(), this.#used - this.#limits.maxBytes);
    for (const stalled of this.#stalled) {
      const ofOwner = needed.get(stalled.owner) ?? 0;
      if (stalled.isOld && (missing > 0 || ofOwner > 0)) {
        missing -= stalled.bytes;
        needed.set(stalled.owner, ofOwner - stalled.bytes);
        stalled.evict();
      }
      stalled.isOld = true;
    }
  }

  #refusal(owner: string, bytes: number): PlatformError {
    const retryAfterSeconds = "2";
    return this.#obstacle(owner, bytes) === "maxBytesOfUser"
      ? new PlatformError(
          "USER_ANSWERS_TOO_LARGE",
          "This user's answers in progress have as many bytes as one user's may (MAX_ANSWER_BYTES_PER_USER). Read them, or try again soon.",
          { details: { limit: "MAX_ANSWER_BYTES_PER_USER", retryAfterSeconds } },
        )
      : new PlatformError(
          "ANSWERS_TOO_LARGE",
          "The server has no room for another answer: MAX_ANSWER_BYTES is reached. Try again soon.",
          { details: { limit: "MAX_ANSWER_BYTES", retryAfterSeconds } },
        );
  }
}

/** The room of one answer in the account. */
export class AnswerReader {
  readonly #account: AnswerAccount;
  readonly #owner: string;
  #gone: AbortSignal | undefined;

  constructor(account: AnswerAccount, owner: string) {
    this.#account = account;
    this.#owner = owner;
  }

  /** The answer's head is sent: it is not refused any more, and waits until its client has left. */
  begin(gone: AbortSignal): void {
    this.#gone = gone;
  }

  /** Undefined if there is no room now, or others wait for theirs. */
  take(bytes: number): Room | undefined {
    return this.#account.take(this.#owner, bytes);
  }

  /**
   * Waits for its turn. Throws `ANSWERS_TOO_LARGE` and `USER_ANSWERS_TOO_LARGE` before the answer has begun, and the
   * signal's reason afterwards.
   */
  wait(bytes: number): Promise<Room> {
    return this.#account.wait(this.#owner, bytes, this.#gone);
  }

  /** Counts bytes that wait for a reader that has stalled. `evict` cuts it off. */
  hold(bytes: number, evict: () => void): Room {
    return this.#account.hold(this.#owner, bytes, evict);
  }
}

class TakenRoom implements Room {
  readonly #change: (owner: string, bytes: number) => void;
  readonly #owner: string;
  readonly #onEnd: (() => void) | undefined;
  #bytes: number;

  constructor(change: (owner: string, bytes: number) => void, owner: string, bytes: number, onEnd?: () => void) {
    this.#change = change;
    this.#owner = owner;
    this.#bytes = bytes;
    this.#onEnd = onEnd;
    change(owner, bytes);
  }

  shrink(bytes: number): void {
    const less = this.#bytes - bytes;
    if (less <= 0) return;
    this.#bytes = bytes;
    this.#change(this.#owner, -less);
  }

  [Symbol.dispose](): void {
    this.#onEnd?.();
    this.shrink(0);
  }
}
