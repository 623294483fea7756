import { Cluster } from "ioredis";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RedisClient } from "./redis-client.ts";
import { noRedisObserver, type RedisObserver, type RedisOperation, reasonOf } from "./redis-observer.ts";

/** After this many consecutive failed attempts to connect, commands are refused without waiting for the next one. */
const FAILURES_THAT_MEAN_DOWN = 2;
const DEFAULT_WAIT_MS = 1000;

/** Converts every failure of Redis into one error, and fails immediately while Redis is known to be unavailable. */
export class RedisGuard {
  readonly #redis: RedisClient;
  readonly #observer: RedisObserver;
  readonly #onClose = (): void => {
    this.#failures += 1;
  };
  readonly #onReady = (): void => {
    this.#failures = 0;
  };
  #failures = 0;
  #becomingReady: Promise<void> | undefined;

  constructor(redis: RedisClient, observer: RedisObserver = noRedisObserver) {
    this.#redis = redis;
    this.#observer = observer;
    redis.on("close", this.#onClose);
    redis.on("ready", this.#onReady);
  }

  async run<Result>(operation: RedisOperation, command: () => Promise<Result>): Promise<Result> {
    this.#observer.called();
    if (this.#failures >= FAILURES_THAT_MEAN_DOWN) {
      this.#observer.failed(operation, "unavailable");
      throw redisUnavailable();
    }
    try {
      // The client of a single server has a queue, whose commands have a deadline each.
      if (this.#redis instanceof Cluster && this.#redis.status !== "ready") await this.#untilReady(this.#redis);
      return await command();
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      this.#observer.failed(operation, reasonOf(error));
      throw redisUnavailable(error);
    }
  }

  /** One wait that all current commands share. */
  #untilReady(cluster: Cluster): Promise<void> {
    this.#becomingReady ??= new Promise<void>((resolve, reject) => {
      const onReady = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        cluster.off("ready", onReady);
        reject(new Error("The cluster is not ready."));
      }, cluster.options.redisOptions?.commandTimeout ?? DEFAULT_WAIT_MS);
      cluster.once("ready", onReady);
    }).finally(() => {
      this.#becomingReady = undefined;
    });
    return this.#becomingReady;
  }

  dispose(): void {
    this.#redis.off("close", this.#onClose);
    this.#redis.off("ready", this.#onReady);
  }
}

export function redisUnavailable(cause?: unknown): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", "Redis cannot be reached, or refused the command.", { cause });
}
