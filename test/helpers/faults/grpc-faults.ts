import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { Http2Proxy } from "./http2-proxy.ts";

/** A gRPC status, or a broken connection. */
export interface GrpcFault {
  /** The gRPC status code. Without it the connection breaks. */
  readonly status?: number;
  /** Whether the server receives the message; its answer is lost then. */
  readonly isDone: boolean;
}

/** The text of each injected status: it has an address and a path, which must not reach a caller. */
const INJECTED_TEXT = "connect 10.9.8.7:50051 at /private/place";

/** A proxy of a gRPC server on loopback that fails the n-th message that clients send. */
export class GrpcFaults implements AsyncDisposable {
  readonly #proxy: Http2Proxy;
  #failing: { readonly at: number; readonly fault: GrpcFault } | undefined;
  #sent = 0;
  #hasFailed = false;

  private constructor(proxy: Http2Proxy) {
    this.#proxy = proxy;
    proxy.onStream((near, headers) => this.#forward(near, headers));
  }

  static async before(port: number): Promise<GrpcFaults> {
    return new GrpcFaults(await Http2Proxy.to(`127.0.0.1:${port}`));
  }

  get port(): number {
    return this.#proxy.port;
  }

  /** Fails the n-th message from now on, counted from 1. */
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
    await this.#proxy[Symbol.asyncDispose]();
  }

  #forward(near: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const far = this.#proxy.request(headers);
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
