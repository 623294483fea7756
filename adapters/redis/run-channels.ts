import type { ChannelListener } from "#ports/runs/reading/channel-listener.ts";
import { decodeBatch } from "#ports/runs/reading/run-batch.ts";
import type { Subscriber } from "./create-subscriber.ts";
import { RedisGuard, redisUnavailable } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";

/** A message that is not a batch. Readers of earlier versions read the log then. */
export const RECHECK = "recheck";

interface Channel {
  readonly listeners: Set<ChannelListener>;
  /** Whether the newest attempt to subscribe has succeeded. */
  subscribed: Promise<boolean>;
  /** Whether an attempt to subscribe was ever made: its command may still wait for the connection. */
  isRequested: boolean;
}

/** The pause before another attempt if subscribing failed on an established connection. */
const RESUBSCRIBE_MS = 1000;

const NOT_SUBSCRIBED = Promise.resolve(false);

/**
 * Subscribes to the channels of many runs on one connection, which it owns and closes. A channel is subscribed to for
 * its first listener and unsubscribed from after its last; each message is decoded once for all listeners. While the
 * connection is lost, listeners can still join. After a reconnect all channels are subscribed to again, and each
 * listener gets `hear(true)` and reads its log. `close` stops all listeners.
 */
export class RunChannels {
  readonly #subscriber: Subscriber;
  readonly #guard: RedisGuard;
  readonly #checkMs: number;
  readonly #channels = new Map<string, Channel>();
  #timer: NodeJS.Timeout | undefined;
  /** Subscribing is not possible at the moment, and `join` does not wait for it. */
  #isDisconnected = false;
  #resubscribing: NodeJS.Timeout | undefined;
  /** Channels without listeners whose subscription may still wait for the connection. */
  readonly #abandoned = new Set<string>();
  #closed = false;

  /** Takes ownership of the connection. */
  constructor(subscriber: Subscriber, checkMs: number, observer?: RedisObserver) {
    const { connection } = subscriber;
    this.#subscriber = subscriber;
    this.#guard = new RedisGuard(connection, observer);
    this.#checkMs = checkMs;
    connection.on("message", (name: string, payload: string) => this.#deliver(name, payload));
    connection.on("ready", () => {
      void this.#resubscribe();
      // A client of a cluster sends what has waited in the microtasks after this event.
      setImmediate(() => this.#unsubscribeAbandoned());
    });
    connection.on("close", () => this.#loseAll());
  }

  /** How many channels are open, for metrics. */
  get size(): number {
    return this.#channels.size;
  }

  /** Resolves when messages from then on reach the listener, or when that has to wait for the connection. */
  async join(name: string, listener: ChannelListener): Promise<void> {
    if (this.#closed) throw redisUnavailable();
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      const isRequested = !this.#isDisconnected;
      const subscribed = isRequested ? this.#subscribe([name]) : NOT_SUBSCRIBED;
      channel = { listeners: new Set(), subscribed, isRequested };
      this.#channels.set(name, channel);
      this.#timer ??= setInterval(() => this.#checkAll(), this.#checkMs).unref();
    }
    channel.listeners.add(listener);
    const isHearing = await channel.subscribed;
    if (isHearing && channel.listeners.has(listener)) listener.hear(true);
  }

  leave(name: string, listener: ChannelListener): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || !channel.listeners.delete(listener) || channel.listeners.size > 0) return;
    this.#channels.delete(name);
    if (channel.isRequested) this.#unsubscribe(name);
    if (this.#channels.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#resubscribing);
    this.#subscriber[Symbol.dispose]();
    for (const { listeners } of [...this.#channels.values()]) for (const listener of [...listeners]) listener.stop();
  }

  async #subscribe(names: readonly string[]): Promise<boolean> {
    try {
      await this.#guard.run("subscribe", () => this.#subscriber.connection.subscribe(...names));
      return true;
    } catch {
      // A lost connection emits `ready` when it is established again.
      this.#isDisconnected = true;
      this.#resubscribing ??= setTimeout(() => {
        this.#resubscribing = undefined;
        if (this.#subscriber.connection.status === "ready") void this.#resubscribe();
      }, RESUBSCRIBE_MS).unref();
      return false;
    }
  }

  /** Without a connection there is no subscription, but the command for one may wait for the connection. */
  #unsubscribe(name: string): void {
    const { connection } = this.#subscriber;
    if (this.#closed) return;
    if (connection.status !== "ready") {
      this.#abandoned.add(name);
      return;
    }
    connection.unsubscribe(name).catch(() => {
      // The subscription ends with the connection. If the connection still exists, the channel's next message causes
      // another attempt.
    });
  }

  #unsubscribeAbandoned(): void {
    const names = [...this.#abandoned];
    this.#abandoned.clear();
    for (const name of names) if (!this.#channels.has(name)) this.#unsubscribe(name);
  }

  #deliver(name: string, payload: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return this.#unsubscribe(name);
    if (payload === RECHECK) {
      for (const listener of channel.listeners) listener.recheck?.();
      return;
    }
    const batch = decodeBatch(payload);
    for (const listener of channel.listeners) {
      if (batch === undefined) listener.lose();
      else listener.receive(batch);
    }
  }

  /** Messages during the outage are lost, so every listener has to read its log. */
  async #resubscribe(): Promise<void> {
    if (this.#closed || !this.#isDisconnected) return;
    this.#isDisconnected = false;
    const names = [...this.#channels.keys()];
    if (names.length === 0) return;
    const subscribed = this.#subscribe(names);
    const channels = [...this.#channels.values()];
    for (const channel of channels) Object.assign(channel, { subscribed, isRequested: true });
    if (await subscribed) notifyListeners(channels, true);
  }

  #loseAll(): void {
    if (this.#closed) return;
    this.#isDisconnected = true;
    for (const channel of this.#channels.values()) channel.subscribed = NOT_SUBSCRIBED;
    notifyListeners(this.#channels.values(), false);
  }

  #checkAll(): void {
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener.check();
  }
}

function notifyListeners(channels: Iterable<Channel>, isHearing: boolean): void {
  for (const { listeners } of channels) for (const listener of listeners) listener.hear(isHearing);
}
