import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import {
  type CursorPosition,
  formatCursor,
  parseCursor,
  type RunCursor,
  type RunStreamEntry,
} from "#kit/runs/stream/run-stream.ts";
import { comparePositions, type RunBatch } from "./run-batch.ts";
import type { ChannelListener } from "./run-channels.ts";
import type { RunLog, RunLogPage } from "./run-log.ts";

/** What a reader may have waiting. One that is slower leaves the live path, and reads the log when it comes back. */
const MAX_QUEUED_BATCHES = 256;
const MAX_QUEUED_CHARACTERS = 1024 * 1024;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 2000;
/** Between two looks into the log of a reader that messages do not reach; longer the longer nothing is new. */
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
  readonly signal: AbortSignal;
}

/**
 * One reader of one run. It listens first and then reads the log, so nothing falls between; what it has seen it knows by its
 * position. A batch that is not linked to that position shows a gap: the log fills it, or, when the log has it no more, the
 * reader gets a resync. While messages do not reach it, the log is all it has, and is read again and again. Until its first look into the log a failure of Redis is thrown; later ones are waited out, each with a resync: what
 * the run does meanwhile is in the store alone.
 */
export class RunReader implements AsyncIterator<readonly RunStreamEntry[], undefined>, ChannelListener {
  readonly #options: RunReaderOptions;
  #position: CursorPosition | undefined;
  /** A position that came as a cursor is judged by the first thing known of the run. */
  #isJudged = false;
  #isEstablished = false;
  /** The log has to be read; what is published meanwhile is not kept. */
  #isBehind = true;
  #queue: RunBatch[] = [];
  #queuedCharacters = 0;
  /** Messages reach the reader. */
  #isHearing = false;
  #pollMs = FIRST_POLL_MS;
  #isStarted = false;
  #isEnded = false;
  #isClosed = false;
  #isQuiet = false;
  #lossTold = false;
  /** How long to wait before the log that could not be read is read again. */
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
    this.lose();
  }

  lose(): void {
    this.#fallBehind();
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
      if (!this.#isBehind && this.#queue.length === 0) await (this.#isHearing ? this.#change() : this.#untilPoll());
    }
    return DONE;
  }

  async #start(): Promise<void> {
    const { after, signal, join } = this.#options;
    if (after !== undefined) this.#position = parseCursor(after);
    this.#isStarted = true;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    await join(this);
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
    // From here on messages are kept: one published after the log was read comes by them.
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
      this.#take(batch, entries);
    }
    return entries;
  }

  #isGapBefore({ after, isStart }: RunBatch): boolean {
    return this.#position === undefined ? !isStart : comparePositions(this.#position, after) < 0;
  }

  /** Adds what the batch has that is new, led by a resync when something before it is missing. */
  #take(batch: RunBatch, entries: RunStreamEntry[]): void {
    const { after, last } = batch;
    this.#judge(last);
    if (this.#isGapBefore(batch)) entries.push(RESYNC);
    const position = this.#position;
    const seen = position === undefined || comparePositions(position, after) < 0 ? after : position;
    if (comparePositions(last, seen) <= 0) return;
    for (const entry of batch.entries) if (comparePositions(entry, seen) > 0) entries.push(entry);
    this.#position = { epoch: last.epoch, n: last.n };
    this.#isEnded = last.kind === "end";
    this.#lossTold = false;
    this.#pollMs = FIRST_POLL_MS;
  }

  /** Nothing follows: the reader has everything, or what it has not is lost, or the run is yet to begin. */
  #takeEmptyPage({ newest, ended }: RunLogPage, entries: RunStreamEntry[]): void {
    const position = this.#position;
    if (newest === undefined) {
      // Redis has come back empty, or has dropped the run. Once is enough until the run is heard of again.
      if (!this.#isJudged || this.#lossTold) return;
      this.#lossTold = true;
      entries.push(RESYNC);
      return;
    }
    this.#judge(newest);
    const isLost = position === undefined || comparePositions(position, newest) < 0;
    if (isLost) {
      entries.push(RESYNC);
      this.#position = newest;
    }
    this.#isEnded = ended;
  }

  #judge(newest: CursorPosition): void {
    const position = this.#position;
    if (!this.#isJudged && position !== undefined && comparePositions(position, newest) > 0)
      throw cursorAhead(position);
    this.#isJudged = true;
  }

  #fallBehind(): void {
    this.#isBehind = true;
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
