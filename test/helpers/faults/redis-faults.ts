import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * `lost-command`: the connection breaks before Redis gets the command. `lost-answer`: Redis executes the command, and
 * the connection breaks before its answer. `refused`: as `lost-command`, and new connections are refused until it is
 * healed.
 */
export type RedisFault = "lost-command" | "lost-answer" | "refused";

/** A proxy of a Redis on loopback that breaks the connection at the n-th packet that clients send. */
export class RedisFaults implements AsyncDisposable {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  #failing: { readonly at: number; readonly fault: RedisFault } | undefined;
  #sent = 0;
  #hasFailed = false;
  #isRefusing = false;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.#targetPort = targetPort;
    server.on("connection", (near) => this.#forward(near));
  }

  static async before(port: number): Promise<RedisFaults> {
    const server = createServer({ noDelay: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new RedisFaults(server, port);
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("A listening server has a port.");
    return `redis://127.0.0.1:${address.port}`;
  }

  /** Fails the n-th packet from now on, counted from 1. */
  failCall(number: number, fault: RedisFault): void {
    this.#failing = { at: number, fault };
    this.#sent = 0;
    this.#hasFailed = false;
  }

  heal(): void {
    this.#failing = undefined;
    this.#isRefusing = false;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #forward(near: Socket): void {
    near.on("error", () => {});
    if (this.#isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: this.#targetPort, host: "127.0.0.1", noDelay: true });
    far.on("error", () => near.destroy());
    let isAnswerLost = false;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.on("data", (packet) => {
      const fault = this.#next();
      if (fault === "lost-answer") isAnswerLost = true;
      this.#isRefusing ||= fault === "refused";
      if (fault === undefined || fault === "lost-answer") far.write(packet);
      else near.resetAndDestroy();
    });
    far.on("data", (packet) => {
      if (isAnswerLost) near.resetAndDestroy();
      else near.write(packet);
    });
  }

  #next(): RedisFault | undefined {
    this.#sent += 1;
    if (this.#failing?.at !== this.#sent) return undefined;
    this.#hasFailed = true;
    return this.#failing.fault;
  }
}
