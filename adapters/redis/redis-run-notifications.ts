import { fromTenantKey, tenantKey } from "#kit/names/tenant.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { RUN_NOTIFICATION_KINDS, type RunNotification, type RunNotifications } from "#ports/runs/run-notifications.ts";
import { createSubscriber, type Subscriber } from "./create-subscriber.ts";
import type { RedisClient } from "./redis-client.ts";
import { RedisGuard } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { checkKeyPrefix, DEFAULT_KEY_PREFIX } from "./run-keys.ts";

export interface RedisRunNotificationsOptions {
  /** For sending; the caller closes it. */
  readonly redis: RedisClient;
  /** The release's prefix of the channel's name; default `fairlead`. */
  readonly keyPrefix?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly observer?: RedisObserver | undefined;
}

const KINDS: ReadonlySet<string> = new Set(RUN_NOTIFICATION_KINDS);

/**
 * Notifications between processes on one channel: they are rare, and a channel for each run would cost each run a
 * subscription. All listeners of a process share one connection, which the first listener opens.
 */
export class RedisRunNotifications implements RunNotifications, AsyncDisposable {
  readonly #redis: RedisClient;
  readonly #guard: RedisGuard;
  readonly #channel: string;
  readonly #logger: Logger;
  readonly #listeners = new Set<(notification: RunNotification) => void>();
  #subscriber: Subscriber | undefined;

  constructor({
    redis,
    keyPrefix = DEFAULT_KEY_PREFIX,
    logger = silentLogger,
    observer,
  }: RedisRunNotificationsOptions) {
    this.#redis = redis;
    this.#guard = new RedisGuard(redis, observer);
    this.#channel = `${checkKeyPrefix(keyPrefix)}:notifications`;
    this.#logger = logger;
  }

  notify({ kind, runId, tenantId }: RunNotification): void {
    this.#guard
      .run("notify", () => this.#redis.publish(this.#channel, `${kind} ${tenantKey(runId, tenantId)}`))
      .catch((error: unknown) => this.#logger.debug({ error, runId }, "a notification about a run was not sent"));
  }

  onNotify(listener: (notification: RunNotification) => void): Disposable {
    this.#subscriber ??= this.#subscribe();
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard.dispose();
    this.#listeners.clear();
    this.#subscriber?.[Symbol.dispose]();
  }

  /** Subscribes after each reconnect. */
  #subscribe(): Subscriber {
    const subscriber = createSubscriber(this.#redis);
    const { connection } = subscriber;
    connection.on("ready", () => {
      // A connection that is lost again emits `ready` when it is back.
      connection.subscribe(this.#channel).catch(() => {});
    });
    connection.on("message", (_channel: string, text: string) => {
      const notification = parse(text);
      if (notification !== undefined) for (const listener of this.#listeners) listener(notification);
    });
    return subscriber;
  }
}

/** Returns undefined for a kind that only a newer version sends. */
function parse(text: string): RunNotification | undefined {
  const at = text.indexOf(" ");
  const kind = text.slice(0, at);
  if (!KINDS.has(kind)) return undefined;
  const { name: runId, ...tenant } = fromTenantKey(text.slice(at + 1));
  // The set contains only these kinds.
  return { kind: kind as RunNotification["kind"], runId, ...tenant };
}
