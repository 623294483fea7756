import type { McpConnection } from "./mcp-connection.ts";

export interface PoolOptions {
  /** Connections to one server with the same credentials. */
  readonly maxConnections: number;
  /** Connections in all. */
  readonly maxTotal: number;
  /** An unused connection is closed after this time. */
  readonly idleTimeoutMs: number;
}

interface Place {
  readonly idle: { readonly connection: McpConnection; readonly timer: NodeJS.Timeout }[];
  readonly waiting: Set<() => void>;
  open: number;
}

/** All connections of the pool are in use, or it is closed. */
export class PoolFullError extends Error {}

/**
 * Connections by server and credentials. Each serves one call at a time; more calls wait for one that is free. The one
 * that was used last serves the next call, so that few calls at a time keep few connections open.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #places = new Map<string, Place>();
  readonly #all = new Set<McpConnection>();
  #open = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open;
  }

  /**
   * Runs the work with a connection of the key, which `open` creates if none is free. Throws the signal's reason if that
   * aborts while the call waits, and `PoolFullError`.
   */
  async use<Result>(
    key: string,
    { open, signal }: { readonly open: () => Promise<McpConnection>; readonly signal: AbortSignal },
    work: (connection: McpConnection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await this.#take(key, open, signal);
    try {
      return await work(connection);
    } finally {
      this.#release(key, connection);
    }
  }

  /** Closes the connections of the key that are not in use. */
  closeUnused(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    while (this.#closeOldest(key, place)) continue;
  }

  /** Closes all connections; those in use are closed too, and their calls fail. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closing: Promise<void>[] = [];
    for (const connection of this.#all) closing.push(connection.close());
    for (const [key, { idle, waiting }] of this.#places) {
      for (const { connection, timer } of idle.splice(0)) {
        clearTimeout(timer);
        this.#forget(key, connection);
      }
      for (const wake of waiting) wake();
    }
    await Promise.all(closing);
  }

  async #take(key: string, open: () => Promise<McpConnection>, signal: AbortSignal): Promise<McpConnection> {
    for (;;) {
      const place = this.#placeOf(key);
      if (signal.aborted) {
        // The call may have been notified of a free connection, which the next call can use.
        this.#wake(place);
        throw signal.reason;
      }
      if (this.#isClosed) throw new PoolFullError("the toolset is closed.");
      const free = place.idle.pop();
      if (free !== undefined) {
        clearTimeout(free.timer);
        if (free.connection.isOpen) return free.connection;
        this.#forget(key, free.connection);
      } else if (place.open < this.#options.maxConnections) {
        if (this.#open >= this.#options.maxTotal && !this.#closeAnyUnused())
          throw new PoolFullError(`all ${this.#options.maxTotal} connections of the toolset are in use.`);
        return this.#create(key, place, open);
      } else await this.#change(place, signal);
    }
  }

  async #create(key: string, place: Place, open: () => Promise<McpConnection>): Promise<McpConnection> {
    place.open += 1;
    this.#open += 1;
    try {
      const connection = await open();
      this.#all.add(connection);
      if (!this.#isClosed) return connection;
      await connection.close();
      throw new PoolFullError("the toolset is closed.");
    } catch (error) {
      this.#forget(key, undefined);
      throw error;
    }
  }

  #release(key: string, connection: McpConnection): void {
    if (!connection.isOpen || this.#isClosed) {
      this.#forget(key, connection);
      return;
    }
    const place = this.#placeOf(key);
    const timer = setTimeout(() => {
      place.idle.splice(
        place.idle.findIndex((other) => other.connection === connection),
        1,
      );
      this.#forget(key, connection);
      void connection.close();
    }, this.#options.idleTimeoutMs);
    // An unused connection does not keep the process alive.
    timer.unref();
    place.idle.push({ connection, timer });
    this.#wake(place);
  }

  #forget(key: string, connection: McpConnection | undefined): void {
    const place = this.#placeOf(key);
    place.open -= 1;
    this.#open -= 1;
    if (connection !== undefined) this.#all.delete(connection);
    if (place.open === 0 && place.waiting.size === 0) this.#places.delete(key);
    else this.#wake(place);
  }

  /** Closes an unused connection of any key; false if all are in use. */
  #closeAnyUnused(): boolean {
    for (const [key, place] of this.#places) if (this.#closeOldest(key, place)) return true;
    return false;
  }

  #closeOldest(key: string, place: Place): boolean {
    const oldest = place.idle.shift();
    if (oldest === undefined) return false;
    clearTimeout(oldest.timer);
    this.#forget(key, oldest.connection);
    void oldest.connection.close();
    return true;
  }

  #change(place: Place, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        place.waiting.delete(wake);
        resolve();
      };
      place.waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  /** Notifies the call that has waited longest. */
  #wake({ waiting }: Place): void {
    const [first] = waiting;
    first?.();
  }

  #placeOf(key: string): Place {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place: Place = { idle: [], waiting: new Set(), open: 0 };
    this.#places.set(key, place);
    return place;
  }
}
