import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { JsonObject } from "#kit/platform/json.ts";

/** One socket of a provider's client. */
export class FakeSession<State> {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly received: JsonObject[] = [];
  state: State;

  constructor(socket: WebSocket, request: IncomingMessage, state: State) {
    this.socket = socket;
    this.request = request;
    this.state = state;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Gemini's server sends its JSON as binary frames, OpenAI's as text. */
  send(message: JsonObject, { binary = false }: { readonly binary?: boolean } = {}): void {
    this.socket.send(JSON.stringify(message), { binary });
  }

  raw(frame: string | Buffer): void {
    this.socket.send(frame);
  }

  close(code: number, reason = ""): void {
    this.socket.close(code, reason);
  }

  /** The socket breaks without a close: 1006 for the client. */
  terminate(): void {
    this.socket.terminate();
  }

  /** Nothing is read or answered any more, pings neither; the socket stays open. */
  fallSilent(): void {
    this.socket.pause();
  }
}

/** What one provider's server does. */
export interface FakeBehaviour<State> {
  /** Called for each new socket. */
  readonly opened: (session: FakeSession<State>) => void;
  readonly message: (session: FakeSession<State>, message: JsonObject) => void;
  readonly state: () => State;
  /** An HTTP status that refuses the upgrade; undefined accepts it. */
  readonly refuses?: (request: IncomingMessage) => number | undefined;
}

/** A WebSocket server for the providers' SDKs. */
export class FakeLiveServer<State> implements AsyncDisposable {
  readonly sessions: FakeSession<State>[] = [];
  readonly #http: Server;
  readonly #sockets: WebSocketServer;

  private constructor(http: Server, sockets: WebSocketServer) {
    this.#http = http;
    this.#sockets = sockets;
  }

  static async start<State>(behaviour: FakeBehaviour<State>): Promise<FakeLiveServer<State>> {
    const http = createServer();
    const sockets = new WebSocketServer({ noServer: true });
    const server = new FakeLiveServer<State>(http, sockets);
    http.on("upgrade", (request, socket, head) => {
      const status = behaviour.refuses?.(request);
      if (status !== undefined) {
        socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (opened) => {
        const session = new FakeSession(opened, request, behaviour.state());
        server.sessions.push(session);
        opened.on("message", (data: Buffer) => {
          const message = JSON.parse(data.toString()) as JsonObject;
          session.received.push(message);
          behaviour.message(session, message);
        });
        behaviour.opened(session);
      });
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    const { port } = this.#http.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  get openCount(): number {
    return this.sessions.filter(({ isOpen }) => isOpen).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#sockets.close();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
