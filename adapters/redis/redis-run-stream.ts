import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ChannelListener } from "#ports/runs/reading/channel-listener.ts";
import { ExpectedRun } from "#ports/runs/reading/expected-run.ts";
import { type OutgoingBatch, toBatches } from "#ports/runs/reading/run-batch.ts";
import { RunReader } from "#ports/runs/reading/run-reader.ts";
import {
  FOLLOWED_RUN_BYTES,
  formatCursor,
  type PublishedEntry,
  type PublishOptions,
  type RunStream,
  type RunStreamEntry,
  type RunStreamName,
  type SubscribeOptions,
} from "#ports/runs/run-stream.ts";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { createSubscriber } from "./create-subscriber.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard, redisUnavailable } from "./redis-guard.ts";
import { noRedisObserver, type RedisObserver } from "./redis-observer.ts";
import { RECHECK, RunChannels } from "./run-channels.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX, type RunKeys, runKeys, sessionChannel } from "./run-keys.ts";
import { RedisRunLog } from "./run-log.ts";
import { PUBLISH_SCRIPT } from "./scripts/publish-script.ts";

const MEBIBYTE = 1024 * 1024;

export interface RedisRunStreamOptions {
  /** For publishing and for reading logs; the caller closes it. */
  readonly redis: RedisClient;
  /** The release's prefix of every key; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  /**
   * The most bytes of a run's log; 4 MiB by default. A reader that follows the run never needs the log, and one that
   * starts late gets a resync.
   */
  readonly maxBytesPerRun?: number | undefined;
  /** How long a run can be read after its end, in milliseconds; 120,000 by default. */
  readonly finishedTtlMs?: number | undefined;
  /** How long a run is kept whose publisher was lost, in milliseconds; one hour by default. */
  readonly abandonedTtlMs?: number | undefined;
  /**
   * The most characters that may be on the way to Redis; 16 Mi by default. Beyond this limit publishing fails
   * immediately.
   */
  readonly maxPendingCharacters?: number | undefined;
  /**
   * How often a reader without messages reads its log, in milliseconds; 5,000 by default. This finds messages that a
   * dead connection lost.
   */
  readonly idleCheckMs?: number | undefined;
  readonly sleep?: Sleep | undefined;
  readonly observer?: RedisObserver | undefined;
}

/**
 * The run stream for many processes. A run's log is a Redis stream with one entry for each batch; each batch is
 * published at the same time, and all readers of a process subscribe on a second connection (`RunChannels`), which the
 * first reader opens. Disposing the stream ends all readers.
 */
export class RedisRunStream implements RunStream, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #observer: RedisObserver;
  readonly #guard: RedisGuard;
  readonly #prefix: string;
  readonly #maxBytesPerRun: number;
  readonly #finishedTtlMs: number;
  readonly #abandonedTtlMs: number;
  readonly #maxPendingCharacters: number;
  readonly #idleCheckMs: number;
  readonly #sleep: Sleep;
  #channels: RunChannels | undefined;
  /** By the runs' channels. */
  readonly #expected = new Map<string, ExpectedRun>();
  #pendingCharacters = 0;

  constructor(options: RedisRunStreamOptions) {
    this.#redis = options.redis;
    this.#observer = options.observer ?? noRedisObserver;
    this.#guard = new RedisGuard(options.redis, this.#observer);
    this.#prefix = checkKeyPrefix(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#maxBytesPerRun = options.maxBytesPerRun ?? 4 * MEBIBYTE;
    this.#finishedTtlMs = options.finishedTtlMs ?? 120_000;
    this.#abandonedTtlMs = options.abandonedTtlMs ?? 60 * 60 * 1000;
    this.#maxPendingCharacters = options.maxPendingCharacters ?? 16 * MEBIBYTE;
    this.#idleCheckMs = options.idleCheckMs ?? 5000;
    this.#sleep = options.sleep ?? sleep;
  }

  /** How many runs this process is subscribed to, for metrics. */
  get channels(): number {
    return this.#channels?.size ?? 0;
  }

  /** One script call for each batch. Calls for one run are made one after the other. */
  async publish(
    runId: string,
    entries: readonly PublishedEntry[],
    { session, isFollowed, ...name }: PublishOptions = {},
  ): Promise<void> {
    const keys = runKeys(this.#prefix, { runId, ...name });
    const maxBytes = isFollowed === true ? Math.min(FOLLOWED_RUN_BYTES, this.#maxBytesPerRun) : this.#maxBytesPerRun;
    let channel = session === undefined ? "" : sessionChannel(this.#prefix, session);
    for (const batch of toBatches(entries)) {
      await this.#write(keys, batch, maxBytes, channel);
      channel = "";
    }
  }

  watch(session: SessionKey, listener: () => void): Disposable {
    const channels = this.#openChannels();
    const name = sessionChannel(this.#prefix, session);
    // Changes before the subscription have sent no message; without a connection, watchers read the store periodically.
    const nothing = (): void => {};
    const watcher: ChannelListener = {
      receive: listener,
      hear: listener,
      lose: listener,
      check: nothing,
      stop: nothing,
    };
    channels.join(name, watcher).catch(nothing);
    return { [Symbol.dispose]: () => channels.leave(name, watcher) };
  }

  announce(session: SessionKey): void {
    const name = sessionChannel(this.#prefix, session);
    this.#guard.run("announce", () => this.#redis.publish(name, "")).catch(() => {});
  }

  recheck(runId: string, name: RunStreamName = {}): void {
    const { channel } = runKeys(this.#prefix, { runId, ...name });
    this.#guard.run("recheck", () => this.#redis.publish(channel, RECHECK)).catch(() => {});
  }

  newKey(): string {
    return newStreamKey();
  }

  expect(runId: string, name: RunStreamName = {}): Disposable {
    const { channel } = runKeys(this.#prefix, { runId, ...name });
    const channels = this.#openChannels();
    const expected = new ExpectedRun((listener) => {
      this.#expected.delete(channel);
      channels.leave(channel, listener);
    });
    this.#expected.set(channel, expected);
    channels.join(channel, expected).catch(() => expected.lose());
    return expected;
  }

  subscribe(runId: string, { after, signal, ...name }: SubscribeOptions): AsyncIterable<readonly RunStreamEntry[]> {
    const keys = runKeys(this.#prefix, { runId, ...name });
    const log = new RedisRunLog(this.#redis, this.#guard, keys);
    return {
      [Symbol.asyncIterator]: () => {
        const channels = this.#openChannels();
        return new RunReader({
          join: (listener) => channels.join(keys.channel, listener),
          leave: (listener) => channels.leave(keys.channel, listener),
          log,
          sleep: this.#sleep,
          signal,
          ...(after === undefined ? { expected: this.#expected.get(keys.channel) } : { after }),
        });
      },
    };
  }

  /** Ends every reader. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard.dispose();
    this.#channels?.close();
  }

  async #write(keys: RunKeys, batch: OutgoingBatch, maxBytes: number, sessionChannel: string): Promise<void> {
    const { epoch, from, to, continuesRun, ended, body } = batch;
    if (this.#pendingCharacters + body.length > this.#maxPendingCharacters && this.#pendingCharacters > 0) {
      this.#observer.called();
      this.#observer.failed("publish", "backlog");
      throw redisUnavailable(new Error("Too much data is being sent to Redis already."));
    }
    const before = formatCursor({ epoch, n: from - 1 });
    const flags = [continuesRun ? 1 : 0, ended ? 1 : 0];
    const ttlMs = ended ? this.#finishedTtlMs : this.#abandonedTtlMs;
    const args = [epoch, from, to, before, ...flags, maxBytes, ttlMs, keys.channel, body, sessionChannel];
    this.#pendingCharacters += body.length;
    try {
      await this.#guard.run("publish", () => PUBLISH_SCRIPT.run(this.#redis, [keys.log, keys.head], args));
    } finally {
      this.#pendingCharacters -= body.length;
    }
  }

  #openChannels(): RunChannels {
    this.#channels ??= new RunChannels(createSubscriber(this.#redis), this.#idleCheckMs, this.#observer);
    return this.#channels;
  }
}
