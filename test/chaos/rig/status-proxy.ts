import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";

export interface InjectedStatus {
  /** gRPC's number. */
  readonly status: number;
  /** How the path of the calls ends that get it, such as `/Commit`. */
  readonly method: string;
  /** The server has done what was asked, and its answer is lost. */
  readonly isDone: boolean;
}

/** Stands before a gRPC server and answers single calls in its place. */
export class StatusProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Http2Server;
  readonly #far: ClientHttp2Session;
  readonly #near = new Set<ServerHttp2Session>();
  #next: InjectedStatus | undefined;

  private constructor(server: Http2Server, far: ClientHttp2Session) {
    this.#server = server;
    this.#far = far;
    // It listens on a port.
    this.port = (server.address() as AddressInfo).port;
    server.on("session", (session) => {
      this.#near.add(session);
      session.on("close", () => this.#near.delete(session));
    });
    // A server's streams are of the server's kind.
    server.on("stream", (stream, headers) => this.#answer(stream as ServerHttp2Stream, headers));
  }

  static async to(host: string): Promise<StatusProxy> {
    const far = connect(`http://${host}`);
    await once(far, "connect");
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new StatusProxy(server, far);
  }

  /** The next call of the method gets it. */
  inject(next: InjectedStatus): void {
    this.#next = next;
  }

  /** Whether a call got what was injected last. */
  get isInjected(): boolean {
    return this.#next === undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#near) session.destroy();
    this.#far.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(near: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    near.on("error", () => {});
    const injected = this.#next;
    const isMeant = injected !== undefined && headers[":path"]?.endsWith(injected.method) === true;
    if (isMeant) this.#next = undefined;
    if (isMeant && !injected.isDone) {
      near.resume();
      return end(near, injected.status);
    }
    const far = this.#far.request(forwarded(headers));
    far.on("error", () => near.close());
    near.pipe(far);
    if (isMeant) {
      far.resume();
      far.on("end", () => end(near, injected.status));
      return;
    }
    far.on("response", (response) => near.respond(response, { waitForTrailers: true }));
    let trailers: IncomingHttpHeaders = {};
    far.on("trailers", (sent) => {
      trailers = sent;
    });
    near.on("wantTrailers", () => near.sendTrailers(trailers));
    far.pipe(near);
  }
}

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "host" && name !== "connection"));
}

function end(stream: ServerHttp2Stream, status: number): void {
  const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": String(status) };
  stream.respond({ ...headers, "grpc-message": "injected" }, { endStream: true });
}
