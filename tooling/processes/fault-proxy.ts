import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The fault of a link, one at a time. */
export type LinkFault =
  /** Delays each chunk by so many ms, in order. */
  | { readonly kind: "latency"; readonly ms: number }
  /** Splits into chunks of so many bytes. */
  | { readonly kind: "slices"; readonly bytes: number }
  /**
   * Holds everything in both directions until the link is healed, then passes it on, as packets that are sent again.
   */
  | { readonly kind: "drop" }
  /** The same for connections that subscribe to channels of Redis; all others work. */
  | { readonly kind: "drop-subscribers" }
  /** Passes requests and drops answers; the connections are closed when the link is healed. */
  | { readonly kind: "half-open" }
  /** New connections are refused. */
  | { readonly kind: "refuse" };

type Direction = "request" | "answer";

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** Bytes of it were dropped, so it cannot be used further. */
  isDead: boolean;
  /** A client has subscribed on it. */
  isSubscriber: boolean;
  /** Both sockets are closing, each independently. */
  isCut: boolean;
}

/** The command in the form in which Redis clients send it. */
const SUBSCRIBE = "\r\nsubscribe\r\n";

/** A TCP link on loopback that can be given a fault. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  #targetPort: number;
  readonly #connections = new Set<Connection>();
  #fault: LinkFault | undefined;
  #healed = Promise.withResolvers<void>();
  /** Bytes passed so far, so that tests can wait for traffic. */
  bytes = 0;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.#targetPort = targetPort;
  }

  /** Listens on a free port. The target may start later. */
  static async to(targetPort: number): Promise<FaultProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new FaultProxy(server, targetPort);
    server.on("connection", (socket) => proxy.#accept(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("A listening server has a port.");
    return address.port;
  }

  get connections(): number {
    return this.#connections.size;
  }

  set(fault: LinkFault): void {
    this.heal();
    this.#fault = fault;
  }

  /** Removes the fault. */
  heal(): void {
    this.#fault = undefined;
    this.#healed.resolve();
    this.#healed = Promise.withResolvers<void>();
    for (const connection of this.#connections) if (connection.isDead) cut(connection);
  }

  /** Breaks every connection, and accepts new ones. */
  reset(): void {
    for (const connection of this.#connections) cut(connection);
  }

  /** New connections go to another port, as when an address moves to another server. */
  moveTo(targetPort: number): void {
    this.#targetPort = targetPort;
    this.reset();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    this.reset();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(near: Socket): void {
    near.on("error", () => {});
    if (this.#fault?.kind === "refuse") {
      reset(near);
      return;
    }
    const far = connect({ port: this.#targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const connection: Connection = { near, far, isDead: false, isSubscriber: false, isCut: false };
    this.#connections.add(connection);
    far.on("error", () => reset(near));
    near.on("close", () => {
      if (!connection.isCut) far.destroy();
      this.#connections.delete(connection);
    });
    far.on("close", () => near.destroySoon());
    void this.#carry(connection, "request");
    void this.#carry(connection, "answer");
  }

  #isDropped({ isSubscriber }: Connection): boolean {
    const kind = this.#fault?.kind;
    return kind === "drop" || (kind === "drop-subscribers" && isSubscriber);
  }

  async #carry(connection: Connection, direction: Direction): Promise<void> {
    const [from, to] = direction === "request" ? [connection.near, connection.far] : [connection.far, connection.near];
    try {
      // Iterating applies backpressure: a receiver that reads nothing stops the sender.
      for await (const chunk of from) await this.#pass(connection, direction, { bytes: chunk, to });
      to.end();
    } catch {
      reset(to);
    }
  }

  async #pass(
    connection: Connection,
    direction: Direction,
    { bytes, to }: { readonly bytes: Buffer; readonly to: Socket },
  ): Promise<void> {
    if (direction === "request" && bytes.includes(SUBSCRIBE)) connection.isSubscriber = true;
    while (this.#isDropped(connection)) await this.#healed.promise;
    const fault = this.#fault;
    this.bytes += bytes.length;
    if (fault?.kind === "half-open") {
      connection.isDead = true;
      if (direction === "answer") return;
    }
    if (fault?.kind === "latency") await Promise.race([pause(fault.ms), this.#healed.promise]);
    if (fault?.kind !== "slices") return write(to, bytes);
    for (let at = 0; at < bytes.length; at += fault.bytes) {
      await write(to, bytes.subarray(at, at + fault.bytes));
      await pause(0);
    }
  }
}

async function write(to: Socket, bytes: Buffer): Promise<void> {
  if (to.destroyed || to.write(bytes)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  to.once("drain", resolve).once("close", resolve);
  await promise;
  to.off("drain", resolve).off("close", resolve);
}

function cut(connection: Connection): void {
  connection.isCut = true;
  reset(connection.near);
  reset(connection.far);
}

/** Node never closes a socket that it has to reset while its end is being written, and then does not exit. */
function reset(socket: Socket): void {
  if (socket.writableLength > 0 || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
