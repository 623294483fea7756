import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import type { RunSignal, RunSignals } from "#kit/runs/stream/run-signals.ts";
import { createSubscriber, type Subscriber } from "./create-subscriber.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX } from "./run-keys.ts";

export interface RedisRunSignalsOptions {
  /** For sending; it stays the caller's. */
  readonly redis: RedisClient;
  /** The release's part of the channel's name; default `agentplane`. */
  readonly keyPrefix?: string;
  readonly logger?: Logger;
  readonly observer?: RedisObserver;
}

const KINDS: ReadonlySet<string> = new Set<RunSignal["kind"]>(["cancel", "awaited", "ended", "available"]);

/**
 * Pokes between processes on one channel: they are rare, and a channel for each run would cost each run a subscription. All listeners of a
 * process share one connection, made for the first of them.
 */
export class RedisRunSignals implements RunSignals, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #channel: string;
  readonly #logger: Logger;
  readonly #listeners = new Set<(signal: RunSignal) => void>();
  #subscriber: Subscriber | undefined;

  constructor({ redis, keyPrefix = DEFAULT_KEY_PREFIX, logger = silentLogger, observer }: RedisRunSignalsOptions) {
    this.#redis = redis;
    this.#guard = new RedisGuard(redis, observer);
    this.#channel = `${checkKeyPrefix(keyPrefix)}:signals`;
    this.#logger = logger;
  }

  send({ kind, runId }: RunSignal): void {
    this.#guard
      .run("send-signal", () => this.#redis.publish(this.#channel, `${kind} ${runId}`))
      .catch((error: unknown) => this.#logger.debug({ error, runId }, "a poke about a run was not sent"));
  }

  listen(listener: (signal: RunSignal) => void): Disposable {
    this.#subscriber ??= this.#subscribe();
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard.dispose();
    this.#listeners.clear();
    this.#subscriber?.[Symbol.dispose]();
  }

  /** Subscribes each time the connection is there anew. */
  #subscribe(): Subscriber {
    const subscriber = createSubscriber(this.#redis);
    const { connection } = subscriber;
    connection.on("ready", () => {
      // A connection that is lost again tells when it is back.
      connection.subscribe(this.#channel).catch(() => {});
    });
    connection.on("message", (_channel: string, text: string) => {
      const signal = parse(text);
      if (signal !== undefined) for (const listener of this.#listeners) listener(signal);
    });
    return subscriber;
  }
}

/** Undefined for what a newer version may say. */
function parse(text: string): RunSignal | undefined {
  const at = text.indexOf(" ");
  const kind = text.slice(0, at);
  // The set holds nothing else.
  return KINDS.has(kind) ? { kind: kind as RunSignal["kind"], runId: text.slice(at + 1) } : undefined;
}
