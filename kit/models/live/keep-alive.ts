/** The members of a socket of `ws` that the SDKs keep to themselves. */
export interface RawSocket {
  readonly bufferedAmount: number;
  ping(data: string): void;
  terminate(): void;
  on(event: "pong" | "message", listener: (data: Buffer) => void): unknown;
}

/** Proxies and providers end sockets that are silent for about a minute. */
const PING_EVERY_MS = 15_000;
/** The provider's side of the network takes nothing: sound of some minutes waits. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** Returns the socket if the SDK has one with the members of `ws`. */
export function rawSocketOf(value: unknown): RawSocket | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isSocket = ["ping", "terminate", "on"].every((name) => typeof Reflect.get(value, name) === "function");
  // Checked above.
  return isSocket ? (value as RawSocket) : undefined;
}

/**
 * Pings the provider, and terminates a socket if nothing arrives between two pings: a broken network closes no socket.
 */
export class KeepAlive {
  readonly #socket: RawSocket;
  readonly #timer: NodeJS.Timeout;
  /** By the number of their ping. */
  readonly #receipts = new Map<number, () => void>();
  #pings = 0;
  #hasHeard = true;

  constructor(socket: RawSocket, everyMs = PING_EVERY_MS) {
    this.#socket = socket;
    const hear = (): void => {
      this.#hasHeard = true;
    };
    socket.on("message", hear);
    socket.on("pong", (data) => {
      hear();
      this.#confirm(Number(data.toString()));
    });
    this.#timer = setInterval(() => this.#check(), everyMs);
    this.#timer.unref();
  }

  /** Calls back when the provider has received everything that was sent before. */
  afterReceipt(then: () => void): void {
    this.#pings += 1;
    this.#receipts.set(this.#pings, then);
    this.#socket.ping(String(this.#pings));
  }

  /** Whether everything that was sent is on its way. */
  get isDrained(): boolean {
    return this.#socket.bufferedAmount === 0;
  }

  /** Called after each message: a socket that takes nothing is as good as broken. */
  checkBuffered(): void {
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) this.#socket.terminate();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A peer may answer the last one of several pings only. */
  #confirm(ping: number): void {
    for (const [number, then] of this.#receipts) {
      if (number > ping) return;
      this.#receipts.delete(number);
      then();
    }
  }

  #check(): void {
    if (!this.#hasHeard) return this.#socket.terminate();
    this.#hasHeard = false;
    this.afterReceipt(() => {});
  }
}
