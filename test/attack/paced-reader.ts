import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** How a client takes its answer. */
export type Pace =
  | { readonly kind: "stalled" }
  /** So many bytes at a time, and a pause after them. */
  | { readonly kind: "slow"; readonly bytes: number; readonly pauseMs: number }
  | { readonly kind: "leaving"; readonly afterBytes: number }
  | { readonly kind: "whole" };

/** What a client has got of its answer. */
export interface Reading {
  /** Undefined if nothing has arrived. */
  readonly status: number | undefined;
  readonly bytes: number;
  /** Whether the connection has ended. */
  readonly isOver: boolean;
}

/** A client with one request on a connection of its own, which reads no more of the socket than its pace allows. */
export class PacedReader implements Disposable {
  readonly #socket: Socket;
  readonly #pace: Pace;
  #head = "";
  #bytes = 0;
  #isOver = false;

  private constructor(socket: Socket, pace: Pace) {
    this.#socket = socket;
    this.#pace = pace;
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#isOver = true;
    });
  }

  static async open(url: URL, path: string, pace: Pace): Promise<PacedReader> {
    const socket = connect({ host: url.hostname, port: Number(url.port) }).pause();
    const reader = new PacedReader(socket, pace);
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: close\r\n\r\n`);
    if (pace.kind !== "stalled") reader.#read();
    return reader;
  }

  get reading(): Reading {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.#head)?.[1];
    return { status: status === undefined ? undefined : Number(status), bytes: this.#bytes, isOver: this.#isOver };
  }

  async untilOver(): Promise<Reading> {
    if (!this.#isOver) await once(this.#socket, "close");
    return this.reading;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #read(): void {
    this.#socket.on("data", (chunk: Buffer) => {
      if (this.#head.length < 16) this.#head += chunk.toString("latin1", 0, 16);
      const before = this.#bytes;
      this.#bytes += chunk.length;
      const pace = this.#pace;
      if (pace.kind === "leaving" && this.#bytes >= pace.afterBytes) this.#socket.destroy();
      if (pace.kind !== "slow" || Math.floor(before / pace.bytes) === Math.floor(this.#bytes / pace.bytes)) return;
      this.#socket.pause();
      setTimeout(() => this.#socket.resume(), pace.pauseMs);
    });
    this.#socket.resume();
  }
}
