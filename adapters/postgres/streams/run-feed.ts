import type { ChannelListener } from "#ports/runs/reading/channel-listener.ts";
import type { RunLogPage } from "#ports/runs/reading/run-log.ts";
import type { CursorPosition } from "#ports/runs/run-stream.ts";
import type { PostgresDatabase } from "../database/postgres-database.ts";
import { storeUnavailable } from "../database/postgres-errors.ts";
import type { PostgresSignals, SignalKind, SignalReceiver } from "./signals.ts";
import { signalName } from "./stream-names.ts";
import { readPages } from "./stream-rows.ts";

/** The position before all entries. */
export const STREAM_START: CursorPosition = Object.freeze({ epoch: -1, n: 0 });

/** Streams that one statement reads. */
const MAX_READ_STREAMS = 100;

interface Channel {
  readonly stream: string;
  readonly listeners: Set<ChannelListener>;
  /** All listeners have the rows up to it, or read them themselves. Unknown until one of them has read the log. */
  position: CursorPosition | undefined;
  /** Whether there can be rows after the position. */
  isDirty: boolean;
}

type DirtyChannel = readonly [Channel, CursorPosition];

export interface RunFeedOptions {
  readonly database: PostgresDatabase;
  readonly signals: PostgresSignals;
  /** How often a listener without rows is told to read the log. */
  readonly checkMs: number;
}

/**
 * Passes new rows of runs to the readers of this process. A signal names a stream; all streams with a reader that were
 * named since the last read are read by one statement, and each row is decoded once for all readers of its stream.
 */
export class RunFeed implements SignalReceiver, Disposable {
  readonly #database: PostgresDatabase;
  readonly #signals: PostgresSignals;
  readonly #checkMs: number;
  /** By the names of streams in signals. */
  readonly #channels = new Map<string, Channel>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #registration: Disposable;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isClosed = false;

  constructor({ database, signals, checkMs }: RunFeedOptions) {
    this.#database = database;
    this.#signals = signals;
    this.#checkMs = checkMs;
    this.#registration = signals.add(this);
  }

  /** How many streams have readers, for metrics. */
  get size(): number {
    return this.#channels.size;
  }

  /** Rows from then on reach the listener, if it hears. `from` is the position of a listener that reads no log. */
  join(stream: string, listener: ChannelListener, from?: CursorPosition): void {
    if (this.#isClosed) throw storeUnavailable();
    const name = signalName(stream);
    const channel = this.#channels.get(name) ?? { stream, listeners: new Set(), position: undefined, isDirty: false };
    channel.position ??= from;
    this.#channels.set(name, channel);
    channel.listeners.add(listener);
    this.#timer ??= setInterval(() => this.#checkAll(), this.#checkMs).unref();
    if (this.#signals.isHearing) listener.hear(true);
  }

  leave(stream: string, listener: ChannelListener): void {
    const name = signalName(stream);
    const channel = this.#channels.get(name);
    if (channel === undefined || !channel.listeners.delete(listener) || channel.listeners.size > 0) return;
    this.#channels.delete(name);
    if (this.#channels.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  watch(session: string, listener: () => void): Disposable {
    const listeners = this.#watchers.get(session) ?? new Set();
    this.#watchers.set(session, listeners.add(listener));
    if (this.#signals.isHearing) listener();
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#watchers.get(session) === listeners) this.#watchers.delete(session);
      },
    };
  }

  /** The rows after the position, for one listener that has joined. */
  async read(stream: string, after: CursorPosition = STREAM_START): Promise<RunLogPage> {
    const [page] = await readPages(this.#database, [{ stream, after }]);
    if (page === undefined) throw storeUnavailable();
    if (!page.isFull) this.#establish(stream, page.batches.at(-1)?.last ?? after);
    return page;
  }

  receive(kind: SignalKind, name: string): void {
    if (kind === "session") for (const listener of this.#watchers.get(name) ?? []) listener();
    if (kind === "recheck") for (const listener of this.#channels.get(name)?.listeners ?? []) listener.recheck?.();
    const channel = kind === "rows" ? this.#channels.get(name) : undefined;
    if (channel === undefined) return;
    channel.isDirty = true;
    void this.#readDirty();
  }

  hear(isHearing: boolean): void {
    for (const channel of this.#channels.values()) {
      // Each reader reads the log, and none of the rows that it reads has to be passed to it.
      channel.position = undefined;
      for (const listener of channel.listeners) listener.hear(isHearing);
    }
    for (const listeners of this.#watchers.values()) for (const listener of listeners) listener();
  }

  /** Stops all listeners. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#registration[Symbol.dispose]();
    for (const { listeners } of [...this.#channels.values()]) for (const listener of [...listeners]) listener.stop();
  }

  #establish(stream: string, position: CursorPosition): void {
    const channel = this.#channels.get(signalName(stream));
    if (channel === undefined || channel.position !== undefined) return;
    channel.position = { epoch: position.epoch, n: position.n };
    if (channel.isDirty) void this.#readDirty();
  }

  async #readDirty(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    // What this turn of the event loop has received is read together.
    await Promise.resolve();
    for (let dirty = this.#dirty(); dirty.length > 0; dirty = this.#dirty()) await this.#readStreams(dirty);
    this.#isReading = false;
  }

  #dirty(): readonly DirtyChannel[] {
    const dirty: DirtyChannel[] = [];
    if (this.#isClosed) return dirty;
    for (const channel of this.#channels.values()) {
      if (dirty.length === MAX_READ_STREAMS) break;
      if (channel.isDirty && channel.position !== undefined) dirty.push([channel, channel.position]);
    }
    return dirty;
  }

  async #readStreams(dirty: readonly DirtyChannel[]): Promise<void> {
    for (const [channel] of dirty) channel.isDirty = false;
    try {
      const pages = await readPages(
        this.#database,
        dirty.map(([{ stream }, after]) => ({ stream, after })),
      );
      for (const [index, [channel]] of dirty.entries()) pass(channel, pages[index]);
    } catch {
      // The listeners read the log themselves, and report what fails then.
      for (const [{ listeners }] of dirty) for (const listener of listeners) listener.lose();
    }
  }

  #checkAll(): void {
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener.check();
  }
}

function pass(channel: Channel, page: RunLogPage | undefined): void {
  if (page === undefined || page.isFull) channel.isDirty = true;
  if (page === undefined) return;
  const { batches, newest } = page;
  for (const batch of batches) {
    for (const listener of channel.listeners) listener.receive(batch);
    const { epoch, n } = batch.last;
    // Undefined if the listeners read the log in the meantime.
    if (channel.position !== undefined) channel.position = { epoch, n };
  }
  // Rows that cannot be read, or were dropped before they were: the listeners find out what is missing.
  const isMissing = batches.length === 0 && newest !== undefined && channel.position !== undefined;
  if (isMissing && isBefore(channel.position, newest)) for (const listener of channel.listeners) listener.lose();
}

function isBefore(left: CursorPosition | undefined, right: CursorPosition): boolean {
  return left !== undefined && (left.epoch < right.epoch || (left.epoch === right.epoch && left.n < right.n));
}
