import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";

/**
 * A server on loopback in front of one upstream session. Its user answers each stream of a client, or opens the
 * upstream's stream for it. Disposing it destroys all sessions.
 */
export class Http2Proxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Http2Server;
  readonly #far: ClientHttp2Session;
  readonly #near = new Set<ServerHttp2Session>();

  private constructor(server: Http2Server, far: ClientHttp2Session) {
    this.#server = server;
    this.#far = far;
    // The server listens on a port, so its address is not a path.
    this.port = (server.address() as AddressInfo).port;
    server.on("session", (session) => {
      this.#near.add(session);
      session.on("error", () => {});
      session.on("close", () => this.#near.delete(session));
    });
  }

  static async to(host: string): Promise<Http2Proxy> {
    const far = connect(`http://${host}`);
    await once(far, "connect");
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Http2Proxy(server, far);
  }

  onStream(handle: (near: ServerHttp2Stream, headers: IncomingHttpHeaders) => void): void {
    // Streams that a server receives are of the server's class.
    this.#server.on("stream", (stream, headers) => handle(stream as ServerHttp2Stream, headers));
  }

  /** Opens the upstream's stream with the headers of a client's stream. */
  request(headers: IncomingHttpHeaders): ClientHttp2Stream {
    const forwarded = Object.entries(headers).filter(([name]) => name !== "host" && name !== "connection");
    return this.#far.request(Object.fromEntries(forwarded));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#near) session.destroy();
    this.#far.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
