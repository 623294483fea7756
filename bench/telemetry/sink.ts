import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";

const SIGNALS = { trace: "Trace", metrics: "Metrics", logs: "Logs" } as const;

/** A collector that takes everything by OTLP, over HTTP and gRPC, and reads nothing. */
export class Sink implements AsyncDisposable {
  requests = 0;
  readonly #http: HttpServer;
  readonly #grpc = new Server();
  #grpcPort = 0;

  private constructor() {
    this.#http = createServer((request, response) => {
      this.requests += 1;
      request.resume().on("end", () => response.end());
    });
  }

  static async start(): Promise<Sink> {
    const sink = new Sink();
    await sink.#listen();
    return sink;
  }

  get url(): string {
    // A TCP server's address is an object.
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get grpcUrl(): string {
    return `http://127.0.0.1:${this.#grpcPort}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#grpc.forceShutdown();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    for (const [part, name] of Object.entries(SIGNALS)) {
      const path = `/opentelemetry.proto.collector.${part}.v1.${name}Service/Export`;
      this.#grpc.addService({ Export: unary(path) }, { Export: this.#take });
    }
    this.#grpcPort = await new Promise<number>((resolve, reject) =>
      this.#grpc.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      ),
    );
  }

  readonly #take = (_call: unknown, done: (error: null, value: Buffer) => void): void => {
    this.requests += 1;
    done(null, Buffer.alloc(0));
  };
}

const asIs = (bytes: Buffer): Buffer => bytes;

function unary(path: string) {
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  } as const;
}
