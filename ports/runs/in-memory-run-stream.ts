import { TransientMap } from "#kit/cache/transient-map.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { LOG_OVERHEAD_BYTES, RunLog } from "./in-memory-run-stream-log.ts";
import {
  type CursorPosition,
  FOLLOWED_RUN_BYTES,
  type PublishedEntry,
  type PublishOptions,
  parseCursor,
  type RunCursor,
  type RunStream,
  type RunStreamEntry,
  type SubscribeOptions,
} from "./run-stream.ts";
import { SessionWatchers } from "./session-watchers.ts";

const MEBIBYTE = 1024 * 1024;
/**
 * A run without a new entry for this long, and without readers, has lost its publisher. Without this limit its log
 * would never be dropped.
 */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;
/** The share of a limit to trim to, so that the next publishes do not trim again. */
const TRIM_TO = 7 / 8;

export interface InMemoryRunStreamOptions {
  readonly clock: Clock;
  /**
   * The most bytes of one run; 4 MiB by default. A reader that follows the run never needs more, and a late reader gets
   * a resync.
   */
  readonly maxBytesPerRun?: number;
  /** The most bytes of all runs; 64 MiB by default. */
  readonly maxBytes?: number;
  /**
   * The most bytes of finished runs without readers; 8 MiB by default. Only clients that reconnect read them, most
   * within seconds; a later one gets the complete events from the store.
   */
  readonly maxFinishedBytes?: number;
  /** How long a run can be read after its end, in milliseconds; 120,000 by default. */
  readonly finishedTtlMs?: number;
}

/**
 * The run stream of one process: one log for each run. A log is open from its first entry or reader on, and finished
 * with the run's end entry; a finished log is dropped after `finishedTtlMs`, an open one that has no readers after an
 * hour without entries. Finished logs have a size of their own: over it, the oldest that have no readers are dropped.
 * Over the total size, finished logs are dropped first, then the oldest entries of open ones. A reader is an index into
 * the shared log, so a slow reader buffers only its current batch; a reader whose entries were dropped gets a resync.
 */
export class InMemoryRunStream implements RunStream {
  readonly #clock: Clock;
  readonly #maxBytesPerRun: number;
  readonly #maxBytes: number;
  readonly #maxFinishedBytes: number;
  readonly #finishedTtlMs: number;
  /** By `tenantKey`, in the order of their first entry or reader. */
  readonly #open = new TransientMap<string, RunLog>();
  /** By `tenantKey`, in the order of their end. */
  readonly #finished = new Map<string, RunLog>();
  readonly #watchers = new SessionWatchers();
  #bytes = 0;
  /** The part of `#bytes` that finished logs have. */
  #finishedBytes = 0;
  #nextSweepAt = 0;

  constructor(options: InMemoryRunStreamOptions) {
    this.#clock = options.clock;
    this.#maxBytesPerRun = options.maxBytesPerRun ?? 4 * MEBIBYTE;
    this.#maxBytes = options.maxBytes ?? 64 * MEBIBYTE;
    this.#maxFinishedBytes = options.maxFinishedBytes ?? 8 * MEBIBYTE;
    this.#finishedTtlMs = options.finishedTtlMs ?? 120_000;
  }

  /** The size of all logs together, for metrics. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many runs are kept, for metrics. */
  get size(): number {
    return this.#open.size + this.#finished.size;
  }

  publish(
    runId: string,
    entries: readonly PublishedEntry[],
    { tenantId, session, isFollowed = false }: PublishOptions = {},
  ): Promise<void> | undefined {
    const name = tenantKey(runId, tenantId);
    if (entries.length > 0 && !this.#finished.has(name)) this.#append(name, entries, isFollowed);
    if (session !== undefined) this.#watchers.notify(session);
    return undefined;
  }

  watch(session: SessionKey, listener: () => void): Disposable {
    return this.#watchers.add(session, listener);
  }

  announce(session: SessionKey): void {
    this.#watchers.notify(session);
  }

  subscribe(runId: string, { tenantId, ...options }: SubscribeOptions): AsyncIterable<readonly RunStreamEntry[]> {
    const name = tenantKey(runId, tenantId);
    const open = () => this.#openLog(name);
    const close = (log: RunLog) => this.#closeLog(name, log);
    return { [Symbol.asyncIterator]: () => new RunReader({ open, close, ...options }) };
  }

  #append(name: string, entries: readonly PublishedEntry[], isFollowed: boolean): void {
    const now = this.#clock.monotonic();
    if (now >= this.#nextSweepAt) this.#sweep(now);
    const log = this.#openLog(name);
    const before = log.bytes;
    log.append(entries, isFollowed ? Math.min(FOLLOWED_RUN_BYTES, this.#maxBytesPerRun) : this.#maxBytesPerRun);
    // An entry that outlives two collections of young objects is left to a full one, which pauses all runs.
    if (isFollowed && log.readers === 0) log.trim(log.bytes);
    log.lastPublishedAt = now;
    this.#bytes += log.bytes - before;
    if (log.ended) {
      this.#open.delete(name);
      this.#finished.set(name, log);
      this.#finishedBytes += log.bytes;
      if (this.#finishedBytes > this.#maxFinishedBytes) this.#dropUnread(this.#maxFinishedBytes * TRIM_TO);
    }
    if (this.#bytes > this.#maxBytes) this.#shrink(this.#maxBytes * TRIM_TO);
  }

  #openLog(name: string): RunLog {
    const finished = this.#finished.get(name);
    if (finished !== undefined) {
      if (this.#clock.monotonic() < finished.lastPublishedAt + this.#finishedTtlMs) return finished;
      this.#dropFinished(name, finished);
    }
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const log = new RunLog();
    this.#open.set(name, log);
    this.#bytes += LOG_OVERHEAD_BYTES;
    return log;
  }

  /** Drops a log without entries when its last reader ends. */
  #closeLog(name: string, log: RunLog): void {
    if (log.isEmpty && log.readers === 0) this.#dropOpen(name, log);
  }

  #sweep(now: number): void {
    this.#nextSweepAt = now + this.#finishedTtlMs / 4;
    for (const [name, log] of this.#finished) {
      if (now < log.lastPublishedAt + this.#finishedTtlMs) break;
      this.#dropFinished(name, log);
    }
    for (const [name, log] of this.#open) {
      const abandoned = now >= log.lastPublishedAt + ABANDONED_AFTER_MS && log.readers === 0;
      if (abandoned) this.#dropOpen(name, log);
    }
  }

  #dropUnread(targetBytes: number): void {
    for (const [name, log] of this.#finished) {
      if (this.#finishedBytes <= targetBytes) return;
      if (log.readers === 0) this.#dropFinished(name, log);
    }
  }

  #shrink(targetBytes: number): void {
    for (const [name, log] of this.#finished) {
      if (this.#bytes <= targetBytes) return;
      this.#dropFinished(name, log);
    }
    for (const log of this.#open.values()) {
      if (this.#bytes <= targetBytes) return;
      const before = log.bytes;
      log.trim(this.#bytes - targetBytes);
      this.#bytes -= before - log.bytes;
    }
  }

  #dropFinished(name: string, log: RunLog): void {
    this.#finished.delete(name);
    this.#bytes -= log.bytes;
    this.#finishedBytes -= log.bytes;
    // A reader in the middle of the log must not keep its entries in memory: it gets a resync and the end.
    log.trim(log.bytes);
  }

  #dropOpen(name: string, log: RunLog): void {
    this.#open.delete(name);
    this.#bytes -= log.bytes;
  }
}

interface RunReaderOptions {
  readonly open: () => RunLog;
  readonly close: (log: RunLog) => void;
  readonly after?: RunCursor;
  readonly signal: AbortSignal;
}

type Result = IteratorResult<readonly RunStreamEntry[], undefined>;

/** Calls back by the microtask queue, without the async resource that `queueMicrotask` creates for each call. */
const SETTLED = Promise.resolve();

const DONE: Result = Object.freeze({ done: true, value: undefined });

/** Reads batches from a log. A class and not a generator, so that `return` also ends a pending read. */
class RunReader implements AsyncIterator<readonly RunStreamEntry[], undefined> {
  readonly #options: RunReaderOptions;
  #after: CursorPosition | undefined;
  #log: RunLog | undefined;
  /** Undefined until the log has its first entry, because a cursor can only be checked then. */
  #index: number | undefined;
  #waiting: { readonly resolve: (result: Result) => void; readonly reject: (error: unknown) => void } | undefined;
  #closed = false;

  constructor(options: RunReaderOptions) {
    this.#options = options;
  }

  // An async method would take three more turns of the microtask queue for each batch.
  next(): Promise<Result> {
    try {
      const ready = this.#readNext();
      return ready === undefined ? this.#wait() : Promise.resolve(ready);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async return(): Promise<Result> {
    return this.#close();
  }

  #start(): void {
    const { after, signal, open } = this.#options;
    if (after !== undefined) this.#after = parseCursor(after);
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#log = open();
    this.#log.readers += 1;
  }

  #readNext(): Result | undefined {
    if (this.#waiting !== undefined)
      throw new Error("A run's stream is read one batch at a time: await next() before the following one.");
    if (this.#closed || this.#options.signal.aborted) return this.#close();
    if (this.#log === undefined) this.#start();
    return this.#read();
  }

  /** The next batch, or undefined if the reader has to wait. */
  #read(): Result | undefined {
    const log = this.#log;
    if (log === undefined || log.isEmpty) return undefined;
    if (this.#index === undefined) this.#index = this.#seek(log);
    const ready = log.readFrom(this.#index);
    if (ready === undefined) return log.ended ? this.#close() : undefined;
    this.#index = ready.next;
    return { done: false, value: ready.batch };
  }

  #seek(log: RunLog): number {
    try {
      return log.seek(this.#after);
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  #wait(): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting = { resolve, reject };
    this.#log?.wait(this.#onChange);
    return promise;
  }

  readonly #onChange = (): void => {
    // After the publisher's call, and others of the same turn, so that the reader gets their entries in one batch.
    void SETTLED.then(this.#deliver);
  };

  readonly #deliver = (): void => {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    try {
      const ready = this.#read();
      if (ready !== undefined) return waiting.resolve(ready);
      this.#waiting = waiting;
      this.#log?.wait(this.#onChange);
    } catch (error) {
      waiting.reject(error);
    }
  };

  readonly #onAbort = (): void => {
    this.#close();
  };

  #close(): Result {
    const log = this.#log;
    const waiting = this.#waiting;
    this.#closed = true;
    this.#log = undefined;
    this.#waiting = undefined;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    if (log !== undefined) {
      log.forget(this.#onChange);
      log.readers -= 1;
      this.#options.close(log);
    }
    waiting?.resolve(DONE);
    return DONE;
  }
}
