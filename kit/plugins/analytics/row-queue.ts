import type { Logger } from "#kit/platform/logger.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import type { OffloadPlace, QueuedRow } from "./analytics-row.ts";

/** Where rows go. Called with one batch at a time. */
export interface AnalyticsSink {
  /**
   * Writes the batch and returns how many of its rows were refused for good, which are lost. Throws if the batch was not
   * written or if that is unknown; it is called with the same list again then, and writes no row twice.
   */
  append(batch: readonly QueuedRow[], logger?: Logger): Promise<number>;
  /** Where large contents go; absent: nowhere. The sink uploads what the rows refer to. */
  readonly offload?: OffloadPlace | undefined;
  /** Contents that could not be uploaded; their rows were written without them. */
  readonly lostUploads?: number;
  close(): Promise<void>;
}

/** Thrown by sinks for a failure that a repetition does not cure. */
export class RowsRefused extends Error {
  override readonly name = "RowsRefused";
}

/** The number of repetitions of a batch, and the times between them. */
export interface AnalyticsRetryConfig {
  /** 3 by default. */
  readonly maxRetries?: number;
  /** Milliseconds before the first repetition; 1,000 by default. */
  readonly initialDelay?: number;
  /** Factor for each further one; 2 by default. */
  readonly multiplier?: number;
  /** Longest delay in milliseconds; 10,000 by default. */
  readonly maxDelay?: number;
}

/** Rows that were never written, by reason. */
export interface LossCounts {
  queue_full: number;
  append_error: number;
  serialization_error: number;
  after_close: number;
  shutdown_timeout: number;
}

export const NOTHING_LOST: Readonly<LossCounts> = {
  queue_full: 0,
  append_error: 0,
  serialization_error: 0,
  after_close: 0,
  shutdown_timeout: 0,
};

export interface RowQueueOptions {
  readonly sink: AnalyticsSink;
  readonly batchSize: number;
  readonly batchFlushInterval: number;
  readonly queueMaxSize: number;
  readonly shutdownTimeout: number;
  readonly retry: Required<AnalyticsRetryConfig>;
  readonly sleep: Sleep;
}

/** Large contents wait for their upload in memory. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** How long the end of a run waits for the ends of others. */
const SOON_MS = 50;
/** Rows and bytes of one append: BigQuery takes 10 MB. */
const MAX_APPEND_ROWS = 500;
const MAX_APPEND_BYTES = 4 * 1024 * 1024;

/**
 * Rows between a run, which never waits for them, and a sink. Bounded; what is lost is counted by its reason, and logged
 * once for each outage.
 */
export class RowQueue {
  readonly lost: LossCounts = { ...NOTHING_LOST };
  /** The number of rows that the sink has written. */
  written = 0;
  logger: Logger | undefined;
  readonly #options: RowQueueOptions;
  readonly #stop = new AbortController();
  #rows: QueuedRow[] = [];
  #bytes = 0;
  /** Rows of the batch that is being written. */
  #sending = 0;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #isFailing = false;

  constructor(options: RowQueueOptions) {
    this.#options = options;
  }

  get offload(): OffloadPlace | undefined {
    return this.#options.sink.offload;
  }

  add(row: QueuedRow): void {
    if (this.#isClosed) return this.lose("after_close", 1);
    const { queueMaxSize, batchSize, batchFlushInterval } = this.#options;
    if (this.#rows.length >= queueMaxSize || this.#bytes + row.bytes > MAX_QUEUED_BYTES)
      return this.lose("queue_full", 1);
    this.#rows.push(row);
    this.#bytes += row.bytes;
    if (this.#rows.length >= batchSize) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), batchFlushInterval).unref();
  }

  /** Writes all rows that wait, in a moment: runs that end together share a write. */
  flushSoon(): void {
    if (this.#soon !== undefined || this.#running !== undefined) return;
    this.#soon = setTimeout(() => void this.flush(), Math.min(SOON_MS, this.#options.batchFlushInterval)).unref();
  }

  /** Writes all rows that wait. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Writes what waits, for at most the time of the options; the rest is lost and counted. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { sink, shutdownTimeout } = this.#options;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, shutdownTimeout);
    await Promise.race([this.flush(), timeout]);
    clearTimeout(timer);
    const rest = this.#rows.length + this.#sending;
    this.#stop.abort();
    this.#rows = [];
    if (rest > 0) this.lose("shutdown_timeout", rest);
    await sink.close();
  }

  /** Counts rows as lost. */
  lose(reason: keyof LossCounts, rows: number, error?: unknown): void {
    this.lost[reason] += rows;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.logger?.warn({ reason, rows, lost: { ...this.lost }, error }, "analytics rows are lost");
  }

  async #run(): Promise<void> {
    while (this.#rows.length > 0) {
      const batch = this.#take();
      this.#sending = batch.length;
      await this.#send(batch);
      this.#sending = 0;
    }
  }

  #take(): readonly QueuedRow[] {
    let count = 0;
    let bytes = 0;
    for (const row of this.#rows) {
      if (count > 0 && (count >= MAX_APPEND_ROWS || bytes + row.bytes > MAX_APPEND_BYTES)) break;
      count += 1;
      bytes += row.bytes;
    }
    this.#bytes -= bytes;
    return this.#rows.splice(0, count);
  }

  async #send(batch: readonly QueuedRow[]): Promise<void> {
    const { sink, retry, sleep } = this.#options;
    const { signal } = this.#stop;
    let delay = retry.initialDelay;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const refused = await sink.append(batch, this.logger);
        if (signal.aborted) return;
        this.written += batch.length - refused;
        if (refused > 0) this.lose("append_error", refused);
        else this.#isFailing = false;
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RowsRefused || attempt >= retry.maxRetries)
          return this.lose("append_error", batch.length, error);
        // Aborted when the time for closing is over.
        await sleep(delay, signal).catch(() => undefined);
        if (signal.aborted) return;
        delay = Math.min(delay * retry.multiplier, retry.maxDelay);
      }
    }
  }
}
