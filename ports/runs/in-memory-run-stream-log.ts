import { PlatformError } from "#kit/errors/platform-error.ts";
import { type CursorPosition, formatCursor, type PublishedEntry, type RunStreamEntry } from "./run-stream.ts";

/** Memory of an entry's object, its id and its slot in the log besides its JSON, measured on V8 and rounded up. */
const ENTRY_OVERHEAD_BYTES = 160;
/** Memory of a log besides its entries. */
export const LOG_OVERHEAD_BYTES = 512;
/** Dropped slots are removed once there are this many and they are half of the array: moving costs O(1) per entry. */
const COMPACT_AT_SLOTS = 256;

/**
 * The largest batch of a reader. While the reader waits for its client it keeps this much in memory, even if the log
 * drops the entries.
 */
const BATCH_BYTES = 256 * 1024;

const RESYNC: RunStreamEntry = Object.freeze({ kind: "resync" });

/** Called once, with the next change of the log. */
export type Waiter = () => void;

/**
 * One run's entries. Each has an absolute index that never changes, so the state of a reader is only a number: it reads
 * the entries from its index on, and has lost entries if its index is below the first one kept. A gap in the published
 * entries takes one index and drops the entries before it.
 *
 * Bytes are counted as characters: strings beyond Latin-1 take twice as much, so the true size is at most double.
 */
export class RunLog {
  bytes = LOG_OVERHEAD_BYTES;
  /** On the monotonic clock. */
  lastPublishedAt = 0;
  /** How many readers have started and not ended. */
  readers = 0;
  ended = false;
  #entries: PublishedEntry[] = [];
  #head = 0;
  /** Absolute index of `#entries[#head]`. */
  #first = 0;
  /** A copied position, not a reference to an entry: that would keep a dropped entry in memory. */
  #newest: CursorPosition | undefined;
  /** A reader with a cursor below this one may have missed entries. */
  #lostUntil: CursorPosition = { epoch: 0, n: 0 };
  #waiters: Waiter[] = [];

  get isEmpty(): boolean {
    return this.#newest === undefined;
  }

  /** Adds the new entries and drops the oldest ones over the limit; the newest entry is kept whatever its size. */
  append(entries: readonly PublishedEntry[], maxBytes: number): void {
    let newest: PublishedEntry | undefined;
    for (const entry of entries) if (this.#push(entry, newest ?? this.#newest)) newest = entry;
    if (newest === undefined) return;
    this.#newest = { epoch: newest.epoch, n: newest.n };
    while (this.bytes > maxBytes && this.#kept > 1) this.#drop();
    if (this.ended) this.#removeSlots();
    this.#notifyWaiters();
  }

  /** Drops the oldest entries until `bytesToFree` bytes are free. After the run's end the last entry is kept. */
  trim(bytesToFree: number): void {
    const target = this.bytes - bytesToFree;
    const spare = this.ended ? 1 : 0;
    while (this.bytes > target && this.#kept > spare) this.#drop();
  }

  /**
   * The index at which a reader with this cursor continues; below the first one kept if it has lost entries. Throws for
   * a cursor ahead of the log.
   */
  seek(after: CursorPosition | undefined): number {
    if (after === undefined) return 0;
    if (this.#newest === undefined || comparePositions(after, this.#newest) > 0) throw cursorAhead(after);
    if (comparePositions(after, this.#lostUntil) < 0) return -1;
    return this.#first + this.#countUpTo(after);
  }

  /**
   * The entries from the index on, up to one batch; undefined if there are none yet. If the index was dropped: all
   * entries kept, after a resync, because the reader has to compare all of them with the store.
   */
  readFrom(index: number): { readonly batch: readonly RunStreamEntry[]; readonly next: number } | undefined {
    const next = this.#first + this.#kept;
    if (index < this.#first) return { batch: [RESYNC, ...this.#entries.slice(this.#head)], next };
    if (index === next) return undefined;
    const from = this.#head + index - this.#first;
    const to = this.#endOfBatch(from);
    return { batch: this.#entries.slice(from, to), next: index + to - from };
  }

  wait(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  forget(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter);
    if (at !== -1) this.#waiters.splice(at, 1);
  }

  get #kept(): number {
    return this.#entries.length - this.#head;
  }

  #notifyWaiters(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  #endOfBatch(from: number): number {
    let bytes = 0;
    for (let at = from; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at];
      if (entry === undefined) return at;
      bytes += bytesOf(entry);
      if (bytes > BATCH_BYTES && at > from) return at;
    }
    return this.#entries.length;
  }

  #push(entry: PublishedEntry, newest: CursorPosition | undefined): boolean {
    const { epoch, n } = entry;
    if (this.ended || (newest !== undefined && !isAfter(entry, newest))) return false;
    if (newest === undefined) this.#lostUntil = { epoch, n: n - 1 };
    const expected = newest?.epoch === epoch ? newest.n + 1 : 1;
    // A first entry of a later attempt means that earlier holders published entries which this log never got.
    const startLost = newest === undefined && entry.kind === "attempt" && entry.attempt > 1;
    if (n !== expected || startLost) this.#breakOff({ epoch, n: n - 1 });
    this.#entries.push(entry);
    this.bytes += bytesOf(entry);
    if (entry.kind === "end") this.ended = true;
    return true;
  }

  #breakOff(lostUntil: CursorPosition): void {
    while (this.#kept > 0) this.#drop();
    this.#first += 1;
    this.#lostUntil = lostUntil;
  }

  #drop(): void {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return;
    this.bytes -= bytesOf(entry);
    this.#lostUntil = { epoch: entry.epoch, n: entry.n };
    this.#entries[this.#head] = DROPPED;
    this.#head += 1;
    this.#first += 1;
    if (this.#head >= COMPACT_AT_SLOTS && this.#head * 2 >= this.#entries.length) this.#removeSlots();
  }

  /** Removes the dropped slots, and the spare ones that an array has after `push`: 15 of them with two entries. */
  #removeSlots(): void {
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  /** How many kept entries lie at or before the position: a binary search, as positions only grow. */
  #countUpTo(position: CursorPosition): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && !isAfter(entry, position)) low = middle + 1;
      else high = middle;
    }
    return low - this.#head;
  }
}

/** Replaces a dropped entry, so that the entry can be collected before the array is compacted. */
const DROPPED: PublishedEntry = Object.freeze({ kind: "attempt", epoch: 0, n: 0, attempt: 0 });

function bytesOf(entry: PublishedEntry): number {
  return entry.kind === "event" ? entry.json.length + ENTRY_OVERHEAD_BYTES : ENTRY_OVERHEAD_BYTES;
}

function isAfter(left: CursorPosition, right: CursorPosition): boolean {
  return left.epoch > right.epoch || (left.epoch === right.epoch && left.n > right.n);
}

function comparePositions(left: CursorPosition, right: CursorPosition): number {
  return left.epoch - right.epoch || left.n - right.n;
}

function cursorAhead(position: CursorPosition): PlatformError {
  const cursor = formatCursor(position);
  return new PlatformError(
    "INVALID_CURSOR",
    `Cursor ${cursor} is ahead of the run's stream. Use one that this stream returned.`,
    {
      details: { cursor },
    },
  );
}
