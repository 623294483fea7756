import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";

/** A status of gRPC, or a broken connection. */
export interface GrpcFault {
  /** gRPC's number; the connection breaks when absent. */
  readonly status?: number;
  /** The server has received the message and answered it, and the answer is lost. */
  readonly isDone: boolean;
}

/** The text of each injected status: an address and a path that no caller may read. */
const INJECTED_TEXT = "connect 10.9.8.7:50051 at /private/place";

/** Stands before a gRPC server on loopback, and fails the n-th message that the clients send to it. */
export class GrpcFaults implements AsyncDisposable {
  readonly port: number;
  readonly #server: Http2Server;
  readonly #far: ClientHttp2Session;
  readonly #near = new Set<ServerHttp2Session>();
  #failing: { readonly at: number; readonly fault: GrpcFault } | undefined;
  #sent = 0;
  #hasFailed = false;

  private constructor(server: Http2Server, far: ClientHttp2Session) {
    this.#server = server;
    this.#far = far;
    // It listens on a port.
    this.port = (server.address() as AddressInfo).port;
    server.on("session", (session) => {
      this.#near.add(session);
      session.on("error", () => {});
      session.on("close", () => this.#near.delete(session));
    });
    // A server's streams are of the server's kind.
    server.on("stream", (stream, headers) => this.#forward(stream as ServerHttp2Stream, headers));
  }

  static async before(port: number): Promise<GrpcFaults> {
    const far = connect(`http://127.0.0.1:${port}`);
    await once(far, "connect");
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new GrpcFaults(server, far);
  }

  /** Fails the n-th message from now on, from 1. */
  failCall(number: number, fault: GrpcFault): void {
    this.#failing = { at: number, fault };
    this.#sent = 0;
    this.#hasFailed = false;
  }

  heal(): void {
    this.#failing = undefined;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#near) session.destroy();
    this.#far.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #forward(near: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const far = this.#far.request(withoutConnection(headers));
    let lost: GrpcFault | undefined;
    const lose = (fault: GrpcFault): void => {
      far.close();
      fail(near, fault);
    };
    near.on("error", () => {});
    near.on("close", () => far.close());
    near.on("data", (message: Buffer) => {
      const fault = this.#next();
      if (fault?.isDone === false) return lose(fault);
      lost ??= fault;
      if (far.writable) far.write(message);
    });
    near.on("end", () => far.end());
    far.on("error", () => near.close());
    far.on("response", (response, flags) => {
      if (lost !== undefined || near.destroyed || near.headersSent) return;
      near.respond(response, isEnd(flags) ? { endStream: true } : { waitForTrailers: true });
    });
    far.on("data", (answer: Buffer) => {
      if (lost !== undefined) lose(lost);
      else if (near.writable) near.write(answer);
    });
    let trailers: IncomingHttpHeaders = {};
    far.on("trailers", (sent) => {
      trailers = sent;
    });
    far.on("end", () => {
      if (lost !== undefined) lose(lost);
      else if (near.writable) near.end();
    });
    near.on("wantTrailers", () => near.sendTrailers(trailers));
  }

  #next(): GrpcFault | undefined {
    this.#sent += 1;
    if (this.#failing?.at !== this.#sent) return undefined;
    this.#hasFailed = true;
    return this.#failing.fault;
  }
}

function fail(near: ServerHttp2Stream, fault: GrpcFault): void {
  if (near.destroyed) return;
  if (fault.status === undefined) near.session?.destroy();
  else if (near.headersSent) {
    near.removeAllListeners("wantTrailers");
    near.on("wantTrailers", () => near.sendTrailers(statusOf(fault)));
    near.end();
  } else {
    near.respond({ ":status": 200, "content-type": "application/grpc", ...statusOf(fault) }, { endStream: true });
  }
}

function statusOf({ status }: GrpcFault): Record<string, string> {
  return { "grpc-status": `${status}`, "grpc-message": INJECTED_TEXT };
}

function isEnd(flags: number): boolean {
  return (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "host" && name !== "connection"));
}
