import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";

/** A call of a service over gRPC whose caller never reads the answer, on a connection of its own. */
export class StalledCall implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  #status: string | undefined;

  constructor(port: number, path: string, message: Buffer) {
    this.#session = connect(`http://127.0.0.1:${port}`);
    this.#session.on("error", () => {});
    this.#stream = this.#session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    this.#stream.on("error", () => {});
    // A refusal arrives as headers alone. Nothing takes the data, so that the window of the stream closes.
    this.#stream.on("response", (headers) => {
      this.#status = String(headers["grpc-status"] ?? "answered");
    });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    this.#stream.end(Buffer.concat([head, message]));
  }

  /** `answered`, or the code of the refusal; undefined while nothing has arrived. */
  get status(): string | undefined {
    return this.#status;
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}
