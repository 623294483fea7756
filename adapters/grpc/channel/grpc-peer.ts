import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type CallInterceptorOptions, callInterceptor } from "./call-interceptor.ts";
import { channelOptions, type ServiceMethods } from "./channel-options.ts";
import { fromServiceError } from "./error-status.ts";
import { Reconnection } from "./reconnection.ts";

/** The part of a loaded method definition that a caller needs. */
export interface CalledMethod<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (request: Request) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

export interface GrpcPeerOptions extends CallInterceptorOptions {
  /** The service's name in messages: `session`. */
  readonly name: string;
  /** A gRPC target, such as `dns:///session.default.svc.cluster.local.:50051`. */
  readonly address: string;
  readonly methods: ServiceMethods;
  /** Without encryption when absent. */
  readonly credentials?: ChannelCredentials;
  /** How long calls wait for an unavailable service before they fail; 1,500 when absent. */
  readonly patienceMs?: number;
  /** The name that the service's certificate must have, independent of its address; default: the host. */
  readonly serverName?: string;
  /** Called with each grant that the session service issues to the run of a call. */
  readonly onGrant?: (grant: string) => void;
  /** Called before each call; a promise delays the call, and fails it if it is rejected. */
  readonly prepare?: () => Promise<void> | undefined;
}

/** Slightly more than the longest pause between two attempts to connect. */
const DEFAULT_PATIENCE_MS = 1500;

/** The address of a service and how it is called. */
export type PeerOptions = Omit<GrpcPeerOptions, "name" | "methods">;

/**
 * One other service. Its calls are promises and async iterables, and each failure is thrown as a `PlatformError`.
 * Create one object for each service and process: it keeps connections to all of the service's addresses.
 */
export class GrpcPeer implements AsyncDisposable {
  readonly #name: string;
  readonly #client: Client;
  readonly #reconnection: Reconnection;
  readonly #prepare: () => Promise<void> | undefined;

  constructor(options: GrpcPeerOptions) {
    this.#name = options.name;
    this.#client = new Client(options.address, options.credentials ?? credentials.createInsecure(), {
      ...channelOptions(options.methods),
      ...(options.serverName !== undefined && { "grpc.ssl_target_name_override": options.serverName }),
      interceptors: [callInterceptor(options)],
    });
    const { clock, patienceMs = DEFAULT_PATIENCE_MS } = options;
    this.#reconnection = new Reconnection(this.#client, { clock, patienceMs });
    this.#prepare = options.prepare ?? (() => undefined);
  }

  unary<Request, Response>(method: CalledMethod<Request, Response>, request: Request): Promise<Response> {
    const wait = this.#delay();
    return wait === undefined ? this.#unary(method, request) : wait.then(() => this.#unary(method, request));
  }

  #unary<Request, Response>(method: CalledMethod<Request, Response>, request: Request): Promise<Response> {
    const { path, requestSerialize, responseDeserialize } = method;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.#settle(resolve, reject),
      );
    });
  }

  /** Ending the iteration early cancels the call. */
  async *serverStream<Request, Response>(
    method: CalledMethod<Request, Response>,
    request: Request,
  ): AsyncGenerator<Response, void, undefined> {
    const { path, requestSerialize, responseDeserialize } = method;
    const wait = this.#delay();
    if (wait !== undefined) await wait;
    const call = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    yield* this.#responses<Response>(call, failureOf(call));
  }

  /** Sends as fast as the service accepts the messages. If creating a message fails, the call is cancelled. */
  async clientStream<Request, Response>(
    method: CalledMethod<Request, Response>,
    requests: Iterable<Request>,
  ): Promise<Response> {
    const { path, requestSerialize, responseDeserialize } = method;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const wait = this.#delay();
    if (wait !== undefined) await wait;
    const call = this.#client.makeClientStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      this.#settle(resolve, reject),
    );
    await this.#send(call, requests, promise);
    return promise;
  }

  /**
   * Sends all requests, then yields the responses. For exchanges in which the service responds after it has received
   * everything.
   */
  async *exchange<Request, Response>(
    method: CalledMethod<Request, Response>,
    requests: Iterable<Request>,
  ): AsyncGenerator<Response, void, undefined> {
    const { path, requestSerialize, responseDeserialize } = method;
    const wait = this.#delay();
    if (wait !== undefined) await wait;
    const call = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const failure = failureOf(call);
    const ended = new Promise((resolve) => call.once("status", resolve));
    await this.#send(call, requests, ended);
    yield* this.#responses<Response>(call, failure);
  }

  /**
   * The wait before a call: for an unavailable service to be reconnected, and for `prepare`. Undefined if there is
   * none.
   */
  #delay(): Promise<void> | undefined {
    const { wait } = this.#reconnection;
    const prepared = this.#prepare();
    if (prepared === undefined) return wait;
    return wait === undefined ? prepared : Promise.all([wait, prepared]).then(() => {});
  }

  /** A stream in both directions that lasts until one side ends it; the caller translates its errors. */
  duplex<Request, Response>(method: CalledMethod<Request, Response>, options: CallOptions) {
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata(), options);
  }

  translate(error: unknown): PlatformError {
    if (error instanceof PlatformError) return error;
    // Calls throw nothing else; an error of our own code has no code and is treated like one of the transport.
    return fromServiceError(error as ServiceError, this.#name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
  }

  #settle<Response>(resolve: (response: Response) => void, reject: (error: PlatformError) => void) {
    return (error: ServiceError | null, response?: Response): void => {
      if (error !== null || response === undefined) reject(this.translate(error ?? new Error("There is no response.")));
      else resolve(response);
    };
  }

  async *#responses<Response>(
    call: AsyncIterable<Response> & Cancellable,
    failure: () => unknown,
  ): AsyncGenerator<Response, void, undefined> {
    try {
      yield* call;
      if (failure() !== undefined) throw failure();
    } catch (error) {
      throw this.translate(error);
    } finally {
      call.cancel();
    }
  }

  async #send<Request>(
    call: NodeJS.EventEmitter & Writable<Request> & Cancellable,
    requests: Iterable<Request>,
    ended: Promise<unknown>,
  ): Promise<void> {
    let over = false;
    const end = ended.then(
      () => {
        over = true;
      },
      () => {
        over = true;
      },
    );
    try {
      for (const request of requests) {
        // The service may refuse the call before it has received everything.
        if (over) return;
        if (!call.write(request)) await Promise.race([end, new Promise((resolve) => call.once("drain", resolve))]);
      }
    } catch (error) {
      call.cancel();
      throw error;
    }
    call.end();
  }
}

/** Keeps the failure of a call: its error event may be emitted before a reader exists, and the reader would miss it. */
function failureOf(call: NodeJS.EventEmitter): () => unknown {
  let failure: unknown;
  call.once("error", (error) => {
    failure = error;
  });
  return () => failure;
}

interface Cancellable {
  cancel(): void;
}

interface Writable<Message> {
  write(message: Message): boolean;
  end(): unknown;
}
