import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { ExpectedRun } from "#ports/runs/reading/expected-run.ts";
import { toBatches } from "#ports/runs/reading/run-batch.ts";
import { RunReader } from "#ports/runs/reading/run-reader.ts";
import {
  FOLLOWED_RUN_BYTES,
  type PublishedEntry,
  type PublishOptions,
  type RunStream,
  type RunStreamEntry,
  type RunStreamName,
  type SubscribeOptions,
} from "#ports/runs/run-stream.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { BatchWriter } from "./batch-writer.ts";
import { RunFeed, STREAM_START } from "./run-feed.ts";
import type { PostgresSignals } from "./signals.ts";
import { sessionDigest, signalName, streamName } from "./stream-names.ts";

const MEBIBYTE = 1024 * 1024;

export interface PostgresRunStreamOptions {
  /** The caller closes both. */
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
  /** The most bytes of a run that readers get; 4 MiB by default. */
  readonly maxBytesPerRun?: number | undefined;
  /** The most characters that may be on the way to the database; 16 Mi by default. Beyond it publishing fails immediately. */
  readonly maxPendingCharacters?: number | undefined;
  /** How often a reader without rows reads its log, in milliseconds; 5,000 by default. This finds what signals missed. */
  readonly idleCheckMs?: number | undefined;
  readonly sleep?: Sleep | undefined;
}

/**
 * The run stream for many processes. A run's log is rows, one for each batch, which are dropped 5 to 15 minutes after they
 * were written. A signal names the runs of each flush, and all readers of a process read the rows together (`RunFeed`).
 * Disposing the stream ends all readers.
 */
export class PostgresRunStream implements RunStream, AsyncDisposable {
  readonly #signals: PostgresSignals;
  readonly #writer: BatchWriter;
  readonly #feed: RunFeed;
  readonly #maxBytesPerRun: number;
  readonly #sleep: Sleep;
  /** By the names of streams. */
  readonly #expected = new Map<string, ExpectedRun>();

  constructor(options: PostgresRunStreamOptions) {
    const { database, signals } = options;
    this.#signals = signals;
    this.#writer = new BatchWriter({
      ...{ database, signals },
      maxPendingCharacters: options.maxPendingCharacters ?? 16 * MEBIBYTE,
    });
    this.#feed = new RunFeed({ database, signals, checkMs: options.idleCheckMs ?? 5000 });
    this.#maxBytesPerRun = options.maxBytesPerRun ?? 4 * MEBIBYTE;
    this.#sleep = options.sleep ?? sleep;
  }

  async publish(
    runId: string,
    entries: readonly PublishedEntry[],
    { session, isFollowed, ...name }: PublishOptions = {},
  ): Promise<void> {
    const stream = streamName(runId, name);
    const maxBytes = isFollowed === true ? Math.min(FOLLOWED_RUN_BYTES, this.#maxBytesPerRun) : this.#maxBytesPerRun;
    let watched = session === undefined ? undefined : sessionDigest(session);
    for (const batch of toBatches(entries)) {
      await this.#writer.write({ stream, batch, maxBytes, session: watched });
      watched = undefined;
    }
  }

  watch(session: SessionKey, listener: () => void): Disposable {
    return this.#feed.watch(sessionDigest(session), listener);
  }

  announce(session: SessionKey): void {
    this.#signals.send("session", sessionDigest(session));
  }

  recheck(runId: string, name: RunStreamName = {}): void {
    this.#signals.send("recheck", signalName(streamName(runId, name)));
  }

  newKey(): string {
    return newStreamKey();
  }

  expect(runId: string, name: RunStreamName = {}): Disposable {
    const stream = streamName(runId, name);
    const expected = new ExpectedRun((listener) => {
      this.#expected.delete(stream);
      this.#feed.leave(stream, listener);
    });
    this.#expected.set(stream, expected);
    this.#feed.join(stream, expected, STREAM_START);
    return expected;
  }

  subscribe(runId: string, { after, signal, ...name }: SubscribeOptions): AsyncIterable<readonly RunStreamEntry[]> {
    const stream = streamName(runId, name);
    const feed = this.#feed;
    return {
      [Symbol.asyncIterator]: () =>
        new RunReader({
          join: async (listener) => feed.join(stream, listener),
          leave: (listener) => feed.leave(stream, listener),
          log: { read: (position) => feed.read(stream, position) },
          sleep: this.#sleep,
          signal,
          ...(after === undefined ? { expected: this.#expected.get(stream) } : { after }),
        }),
    };
  }

  /** Ends every reader. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#feed[Symbol.dispose]();
  }
}
