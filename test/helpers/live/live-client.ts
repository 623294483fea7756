import WebSocket from "ws";
import type { Event } from "#kit/events/event.ts";

/** A client of a live run that remembers what it gets. */
export class LiveClient implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly events: Event[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #isOpen = false;
  #wake: (() => void) | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("open", () => (this.#isOpen = true));
    socket.on("message", (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()) as Event);
      this.#wake?.();
    });
    this.closed = new Promise((resolve, reject) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
      // A handshake that is refused; later errors are followed by the close.
      socket.on("error", (error) => {
        if (!this.#isOpen) reject(error);
      });
    });
    this.closed.catch(() => {});
  }

  /** Resolves when the handshake is accepted; rejects with its HTTP status. */
  static async connect(url: string, options: WebSocket.ClientOptions & { protocols?: string[] } = {}) {
    const { protocols = [], ...rest } = options;
    const socket = new WebSocket(url.replace(/^http/, "ws"), protocols, rest);
    const client = new LiveClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return client;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  say(text: string): void {
    this.send({ content: { role: "user", parts: [{ text }] } });
  }

  /** The texts so far, once there are so many events. */
  async texts(count: number): Promise<readonly (string | undefined)[]> {
    while (this.events.length < count && this.socket.readyState === this.socket.OPEN)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.socket.once("close", () => resolve());
      });
    return this.events.map(({ content }) => content?.parts?.[0]?.text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed.catch(() => {});
  }
}

/** The status of a handshake that is refused. */
export async function refusedStatus(url: string, options: WebSocket.ClientOptions = {}): Promise<number | undefined> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), options);
  return new Promise((resolve) => {
    socket.on("unexpected-response", (_request, response) => {
      resolve(response.resume().statusCode);
      socket.terminate();
    });
    socket.on("open", () => {
      resolve(101);
      socket.terminate();
    });
    socket.on("error", () => {});
  });
}
