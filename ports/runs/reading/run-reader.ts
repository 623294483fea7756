import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import {
  type CursorPosition,
  formatCursor,
  parseCursor,
  type RunCursor,
  type RunStreamEntry,
} from "#ports/runs/run-stream.ts";
import type { ChannelListener } from "./channel-listener.ts";
import type { ExpectedRun } from "./expected-run.ts";
import { comparePositions, type RunBatch } from "./run-batch.ts";
import type { RunLog, RunLogPage } from "./run-log.ts";

/** Limits of a reader's queue. A slower reader drops its queue and reads the log at its next call. */
const MAX_QUEUED_BATCHES = 256;
const MAX_QUEUED_CHARACTERS = 1024 * 1024;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 2000;
/**
 * How long a reader that expected its run waits for the first message before it reads the log: most models answer
 * sooner, and a first message that came before the subscription is rare.
 */
const FIRST_MESSAGE_MS = 1000;
/** The pause between two reads of the log by a reader that gets no messages; it grows while there is nothing new. */
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 250;

const RESYNC: RunStreamEntry = Object.freeze({ kind: "resync" });

type Result = IteratorResult<readonly RunStreamEntry[], undefined>;

const DONE: Result = Object.freeze({ done: true, value: undefined });

export interface RunReaderOptions {
  /** Resolves once it is known whether messages reach the listener. */
  readonly join: (listener: ChannelListener) => Promise<void>;
  readonly leave: (listener: ChannelListener) => void;
  readonly log: RunLog;
  readonly sleep: Sleep;
  readonly after?: RunCursor;
  /** Has received the run's batches since before the run was started. */
  readonly expected?: ExpectedRun | undefined;
  readonly signal: AbortSignal;
}

/**
 * One reader of one run. It first joins the run's channel and then reads the log, so that it misses nothing in between;
 * its position identifies the entries that it has seen.
 *
 * The reader is either behind (it has to read the log) or live (it takes batches from its queue). A batch that does not
 * follow the reader's position shows a gap: the reader then reads the log, and if the log no longer has the missing
 * entries, it yields a resync. A full queue, a lost connection, or two checks without a message also set it behind. A
 * reader that expected the run before it was started begins live: the run's first batch shows that nothing is missing,
 * and without a message it soon reads the log. While messages do not reach the reader, it reads the log periodically.
 *
 * A failure of the log is thrown until the first read of the log has succeeded; after that each failure yields a resync
 * and the read is repeated after a pause, because the caller can read the run's events from the store. The reader ends
 * with the run's end entry, with an abort of the signal, with `return`, or when the stream is closed.
 */
export class RunReader implements AsyncIterator<readonly RunStreamEntry[], undefined>, ChannelListener {
  readonly #options: RunReaderOptions;
  #position: CursorPosition | undefined;
  /**
   * Whether the position, which may come from a client's cursor, has been checked against the run's newest known one.
   */
  #isCursorChecked = false;
  #isEstablished = false;
  /** Whether the log has to be read; messages are dropped until then. */
  #isBehind = true;
  #queue: RunBatch[] = [];
  #queuedCharacters = 0;
  /** Whether messages reach the reader. */
  #isHearing = false;
  /**
   * Whether the reader began live and has received neither a batch nor the log: the subscription may have come after
   * the first batch.
   */
  #isExpecting = false;
  #pollMs = FIRST_POLL_MS;
  #isStarted = false;
  #isEnded = false;
  #isClosed = false;
  #isQuiet = false;
  /** Whether the caller has to read the run's record. */
  #isRecheckDue = false;
  #hasReportedLoss = false;
  /** The pause before the log is read again after a failure. */
  #retryMs = 0;
  #pending: PromiseWithResolvers<Result> | undefined;
  #wake: (() => void) | undefined;

  constructor(options: RunReaderOptions) {
    this.#options = options;
  }

  async next(): Promise<Result> {
    if (this.#pending !== undefined)
      throw new Error("A run's stream is read one batch at a time: await next() before the following one.");
    if (this.#isClosed || this.#options.signal.aborted) return this.#close();
    const pending = Promise.withResolvers<Result>();
    this.#pending = pending;
    this.#pump().then(
      (result) => this.#settle(pending, result),
      (error: unknown) => {
        this.#pending = undefined;
        this.#close();
        pending.reject(error);
      },
    );
    return await pending.promise;
  }

  async return(): Promise<Result> {
    return this.#close();
  }

  receive(batch: RunBatch): void {
    this.#isQuiet = false;
    if (this.#isBehind) return;
    this.#queue.push(batch);
    this.#queuedCharacters += batch.characters;
    const isOver = this.#queue.length > MAX_QUEUED_BATCHES || this.#queuedCharacters > MAX_QUEUED_CHARACTERS;
    if (isOver) this.#fallBehind();
    this.#wake?.();
  }

  hear(isHearing: boolean): void {
    this.#isHearing = isHearing;
    if (!isHearing || !this.#isExpecting) this.lose();
  }

  lose(): void {
    this.#fallBehind();
    this.#wake?.();
  }

  recheck(): void {
    this.#isRecheckDue = true;
    this.#wake?.();
  }

  check(): void {
    if (this.#isQuiet) this.lose();
    this.#isQuiet = true;
  }

  stop(): void {
    this.#close();
  }

  async #pump(): Promise<Result> {
    if (!this.#isStarted) await this.#start();
    while (!this.#isClosed) {
      const entries = this.#isBehind ? await this.#catchUp() : this.#drain();
      if (entries.length > 0) return { done: false, value: entries };
      if (this.#isEnded) return this.#close();
      if (this.#isRecheckDue) {
        this.#isRecheckDue = false;
        return { done: false, value: [RESYNC] };
      }
      if (!this.#isBehind && this.#queue.length === 0) await this.#wait();
    }
    return DONE;
  }

  async #start(): Promise<void> {
    const { after, expected, signal, join } = this.#options;
    if (after !== undefined) this.#position = parseCursor(after);
    this.#isStarted = true;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    // Joined before the other listener leaves, so that the channel stays open and no message is missed in between.
    const joined = join(this);
    const received = expected?.take();
    if (received !== undefined) {
      this.#isBehind = false;
      this.#isExpecting = true;
      for (const batch of received) this.receive(batch);
    }
    await joined;
  }

  #wait(): Promise<void> {
    if (this.#isExpecting) return this.#firstMessage();
    return this.#isHearing ? this.#change() : this.#untilPoll();
  }

  async #firstMessage(): Promise<void> {
    const timer = setTimeout(() => this.lose(), FIRST_MESSAGE_MS).unref();
    await this.#change();
    clearTimeout(timer);
  }

  #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  async #untilPoll(): Promise<void> {
    const { sleep, signal } = this.#options;
    // An abort has closed the reader already.
    await sleep(this.#pollMs, signal).catch(() => {});
    this.#pollMs = Math.min(MAX_POLL_MS, 2 * this.#pollMs);
    this.#fallBehind();
  }

  async #catchUp(): Promise<readonly RunStreamEntry[]> {
    // Messages are kept from here on: one published after the log is read arrives as a message.
    this.#isBehind = false;
    const page = await this.#readLog();
    if (this.#isClosed) return [];
    if (page === undefined) return [RESYNC];
    this.#isEstablished = true;
    this.#retryMs = 0;
    const entries: RunStreamEntry[] = [];
    for (const batch of page.batches) this.#take(batch, entries);
    if (page.isFull) this.#fallBehind();
    if (page.batches.length === 0 && !page.isFull) this.#takeEmptyPage(page, entries);
    return entries;
  }

  async #readLog(): Promise<RunLogPage | undefined> {
    const { log, sleep, signal } = this.#options;
    // An abort has closed the reader already.
    if (this.#retryMs > 0) await sleep(this.#retryMs, signal).catch(() => {});
    if (this.#isClosed) return undefined;
    try {
      return await log.read(this.#position);
    } catch (error) {
      if (!this.#isEstablished) throw error;
      this.#fallBehind();
      this.#retryMs = Math.min(MAX_RETRY_MS, Math.max(FIRST_RETRY_MS, 2 * this.#retryMs));
      return undefined;
    }
  }

  #drain(): readonly RunStreamEntry[] {
    const entries: RunStreamEntry[] = [];
    const batches = this.#queue;
    this.#queue = [];
    this.#queuedCharacters = 0;
    for (const batch of batches) {
      if (this.#isGapBefore(batch)) {
        this.#fallBehind();
        break;
      }
      this.#isEstablished = true;
      this.#isExpecting = false;
      this.#take(batch, entries);
    }
    return entries;
  }

  #isGapBefore({ after, isStart }: RunBatch): boolean {
    return this.#position === undefined ? !isStart : comparePositions(this.#position, after) < 0;
  }

  /** Adds the new entries of the batch, after a resync if entries before it are missing. */
  #take(batch: RunBatch, entries: RunStreamEntry[]): void {
    const { after, last } = batch;
    this.#checkCursor(last);
    if (this.#isGapBefore(batch)) entries.push(RESYNC);
    const position = this.#position;
    const seen = position === undefined || comparePositions(position, after) < 0 ? after : position;
    if (comparePositions(last, seen) <= 0) return;
    for (const entry of batch.entries) if (comparePositions(entry, seen) > 0) entries.push(entry);
    this.#position = { epoch: last.epoch, n: last.n };
    this.#isEnded = last.kind === "end";
    this.#hasReportedLoss = false;
    this.#pollMs = FIRST_POLL_MS;
  }

  /**
   * The log has no entries after the position: the reader has all of them, or the missing ones are lost, or the run has
   * not begun.
   */
  #takeEmptyPage({ newest, ended }: RunLogPage, entries: RunStreamEntry[]): void {
    const position = this.#position;
    if (newest === undefined) {
      // The run's data is lost, or the run was dropped. One resync is enough until an entry of the run arrives.
      if (!this.#isCursorChecked || this.#hasReportedLoss) return;
      this.#hasReportedLoss = true;
      entries.push(RESYNC);
      return;
    }
    this.#checkCursor(newest);
    const isLost = position === undefined || comparePositions(position, newest) < 0;
    if (isLost) {
      entries.push(RESYNC);
      this.#position = newest;
    }
    this.#isEnded = ended;
  }

  #checkCursor(newest: CursorPosition): void {
    const position = this.#position;
    if (!this.#isCursorChecked && position !== undefined && comparePositions(position, newest) > 0)
      throw cursorAhead(position);
    this.#isCursorChecked = true;
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#isExpecting = false;
    this.#queue = [];
    this.#queuedCharacters = 0;
  }

  readonly #onAbort = (): void => {
    this.#close();
  };

  #close(): Result {
    const pending = this.#pending;
    const wasOpen = !this.#isClosed;
    this.#isClosed = true;
    this.#queue = [];
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    if (wasOpen && this.#isStarted) this.#options.leave(this);
    this.#wake?.();
    if (pending !== undefined) this.#settle(pending, DONE);
    return DONE;
  }

  #settle(pending: PromiseWithResolvers<Result>, result: Result): void {
    if (this.#pending === pending) this.#pending = undefined;
    pending.resolve(result);
  }
}

function cursorAhead(position: CursorPosition): PlatformError {
  const cursor = formatCursor(position);
  return new PlatformError(
    "INVALID_CURSOR",
    `Cursor ${cursor} is ahead of the run's stream. Use one that this stream returned.`,
    { details: { cursor } },
  );
}
