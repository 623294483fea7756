import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Http2Proxy } from "#test/helpers/faults/http2-proxy.ts";

export interface InjectedStatus {
  /** The gRPC status code. */
  readonly status: number;
  /** The end of the path of the calls that get it, such as `/Commit`. */
  readonly method: string;
  /** Whether the server handles the call; its answer is lost then. */
  readonly isDone: boolean;
}

/** A proxy of a gRPC server that answers single calls itself. */
export class StatusProxy implements AsyncDisposable {
  readonly #proxy: Http2Proxy;
  #next: InjectedStatus | undefined;

  private constructor(proxy: Http2Proxy) {
    this.#proxy = proxy;
    proxy.onStream((near, headers) => this.#answer(near, headers));
  }

  static async to(host: string): Promise<StatusProxy> {
    return new StatusProxy(await Http2Proxy.to(host));
  }

  get port(): number {
    return this.#proxy.port;
  }

  /** Answers the next call of the method with the status. */
  inject(next: InjectedStatus): void {
    this.#next = next;
  }

  /** Whether a call got the status that was injected last. */
  get isInjected(): boolean {
    return this.#next === undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
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
    const far = this.#proxy.request(headers);
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

function end(stream: ServerHttp2Stream, status: number): void {
  const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": String(status) };
  stream.respond({ ...headers, "grpc-message": "injected" }, { endStream: true });
}
