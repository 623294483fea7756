import type { RedisClient } from "./create-redis.ts";
import { RedisGuard, redisUnavailable } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { decodeBatch, type RunBatch } from "./run-batch.ts";

/** A reader as the channels see it. Neither call may throw or wait. */
export interface ChannelListener {
  /** A batch as it was published. */
  receive(batch: RunBatch): void;
  /** Messages may be missing: what was published has to be read from the log. */
  lose(): void;
  /** Called now and then, for a listener that hears nothing to look after its log. */
  check(): void;
  /** Nothing more will come. */
  stop(): void;
}

interface Channel {
  readonly listeners: Set<ChannelListener>;
  readonly subscribed: Promise<void>;
}

/**
 * Many runs' channels on one connection. A channel is subscribed to for its first listener and left with its last; a message
 * is decoded once for all of them.
 */
export class RunChannels {
  readonly #subscriber: RedisClient;
  readonly #guard: RedisGuard;
  readonly #checkMs: number;
  readonly #channels = new Map<string, Channel>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Takes the connection over. It may not resubscribe by itself: nobody would know when that is done. */
  constructor(subscriber: RedisClient, checkMs: number, observer?: RedisObserver) {
    this.#subscriber = subscriber;
    this.#guard = new RedisGuard(subscriber, observer);
    this.#checkMs = checkMs;
    subscriber.on("message", (name: string, payload: string) => this.#deliver(name, payload));
    subscriber.on("ready", () => void this.#resubscribe());
    // They find out for themselves whether it is only this connection.
    subscriber.on("close", () => this.#tellLoss());
  }

  /** How many channels are open, for metrics. */
  get size(): number {
    return this.#channels.size;
  }

  /** Resolves once every message published from now on reaches the listener. */
  async join(name: string, listener: ChannelListener): Promise<void> {
    if (this.#closed) throw redisUnavailable();
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { listeners: new Set(), subscribed: this.#subscribe([name]) };
      this.#channels.set(name, channel);
      this.#timer ??= setInterval(() => this.#checkAll(), this.#checkMs).unref();
    }
    channel.listeners.add(listener);
    await channel.subscribed;
  }

  leave(name: string, listener: ChannelListener): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || !channel.listeners.delete(listener) || channel.listeners.size > 0) return;
    this.#channels.delete(name);
    this.#unsubscribe(name);
    if (this.#channels.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#subscriber.disconnect();
    for (const { listeners } of [...this.#channels.values()]) for (const listener of [...listeners]) listener.stop();
  }

  async #subscribe(names: readonly string[]): Promise<void> {
    await this.#guard.run("subscribe", () => this.#subscriber.subscribe(...names));
  }

  /** Away from Redis there is nothing to leave: only channels with listeners are subscribed to again. */
  #unsubscribe(name: string): void {
    if (this.#closed || this.#subscriber.status !== "ready") return;
    this.#subscriber.unsubscribe(name).catch(() => {
      // The connection is gone, and the subscription with it; should it not be, its next message asks again.
    });
  }

  #deliver(name: string, payload: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return this.#unsubscribe(name);
    const batch = decodeBatch(payload);
    for (const listener of channel.listeners) {
      if (batch === undefined) listener.lose();
      else listener.receive(batch);
    }
  }

  /** What was published while the connection was away went nowhere, so every listener has to look into its log. */
  async #resubscribe(): Promise<void> {
    const names = [...this.#channels.keys()];
    if (names.length === 0) return;
    try {
      await this.#subscribe(names);
    } catch {
      // The connection is lost again; it tells when it is back.
      return;
    }
    this.#tellLoss();
  }

  #tellLoss(): void {
    if (this.#closed) return;
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener.lose();
  }

  #checkAll(): void {
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener.check();
  }
}
