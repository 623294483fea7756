import type { Subscriber } from "./create-subscriber.ts";
import { RedisGuard, redisUnavailable } from "./redis-guard.ts";
import type { RedisObserver } from "./redis-observer.ts";
import { decodeBatch, type RunBatch } from "./run-batch.ts";

/** A reader as the channels see it. No call may throw or wait. */
export interface ChannelListener {
  /** A batch as it was published. */
  receive(batch: RunBatch): void;
  /** Whether messages reach the listener from now on, which at first they do not. Those before may be missing. */
  hear(isHearing: boolean): void;
  /** Messages may be missing: what was published has to be read from the log. */
  lose(): void;
  /** Called now and then, for a listener that hears nothing to look after its log. */
  check(): void;
  /** Nothing more will come. */
  stop(): void;
}

interface Channel {
  readonly listeners: Set<ChannelListener>;
  /** Whether the newest attempt to subscribe has succeeded. */
  subscribed: Promise<boolean>;
}

/** Until subscribing is tried again that has failed although the connection stands. */
const RESUBSCRIBE_MS = 1000;

const NOT_SUBSCRIBED = Promise.resolve(false);

/**
 * Many runs' channels on one connection. A channel is subscribed to for its first listener and left with its last; a message
 * is decoded once for all of them. While the connection is away channels are joined all the same, and hear when it is back.
 */
export class RunChannels {
  readonly #subscriber: Subscriber;
  readonly #guard: RedisGuard;
  readonly #checkMs: number;
  readonly #channels = new Map<string, Channel>();
  #timer: NodeJS.Timeout | undefined;
  /** Nothing can be subscribed to at the moment; whoever joins does not wait for it. */
  #isAway = false;
  #resubscribing: NodeJS.Timeout | undefined;
  #closed = false;

  /** Takes the connection over. */
  constructor(subscriber: Subscriber, checkMs: number, observer?: RedisObserver) {
    const { connection } = subscriber;
    this.#subscriber = subscriber;
    this.#guard = new RedisGuard(connection, observer);
    this.#checkMs = checkMs;
    connection.on("message", (name: string, payload: string) => this.#deliver(name, payload));
    connection.on("ready", () => void this.#resubscribe());
    connection.on("close", () => this.#loseAll());
  }

  /** How many channels are open, for metrics. */
  get size(): number {
    return this.#channels.size;
  }

  /** Resolves when the listener hears what is published from then on, or when that has to wait for the connection. */
  async join(name: string, listener: ChannelListener): Promise<void> {
    if (this.#closed) throw redisUnavailable();
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { listeners: new Set(), subscribed: this.#isAway ? NOT_SUBSCRIBED : this.#subscribe([name]) };
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
    this.#unsubscribe(name);
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
      // A connection that is gone tells when it is back.
      this.#isAway = true;
      this.#resubscribing ??= setTimeout(() => {
        this.#resubscribing = undefined;
        if (this.#subscriber.connection.status === "ready") void this.#resubscribe();
      }, RESUBSCRIBE_MS).unref();
      return false;
    }
  }

  /** Away from Redis there is nothing to leave: only channels with listeners are subscribed to again. */
  #unsubscribe(name: string): void {
    const { connection } = this.#subscriber;
    if (this.#closed || connection.status !== "ready") return;
    connection.unsubscribe(name).catch(() => {
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
    if (this.#closed || !this.#isAway) return;
    this.#isAway = false;
    const names = [...this.#channels.keys()];
    if (names.length === 0) return;
    const subscribed = this.#subscribe(names);
    const channels = [...this.#channels.values()];
    for (const channel of channels) channel.subscribed = subscribed;
    if (await subscribed) tell(channels, true);
  }

  #loseAll(): void {
    if (this.#closed) return;
    this.#isAway = true;
    for (const channel of this.#channels.values()) channel.subscribed = NOT_SUBSCRIBED;
    tell(this.#channels.values(), false);
  }

  #checkAll(): void {
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener.check();
  }
}

function tell(channels: Iterable<Channel>, isHearing: boolean): void {
  for (const { listeners } of channels) for (const listener of listeners) listener.hear(isHearing);
}
