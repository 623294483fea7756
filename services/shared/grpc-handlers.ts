import type { Readable } from "node:stream";
import type {
  Deadline,
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
} from "@grpc/grpc-js";
import { toStatus } from "#adapters/grpc/error-status.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";

/** What a handler may know of a call besides its message. */
export interface CallContext {
  /** Aborts when the caller has left, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly metadata: Metadata;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly logger: Logger;
}

export interface GrpcHandlersOptions {
  readonly logger: Logger;
  /** Throws when the call may not be made. Runs before every handler. */
  readonly authorize?: (call: Pick<CallContext, "metadata" | "path">) => void;
}

/** Turns async functions and generators into handlers of gRPC. What they throw becomes the call's status, here and nowhere else. */
export class GrpcHandlers {
  readonly #logger: Logger;
  readonly #authorize: (call: Pick<CallContext, "metadata" | "path">) => void;

  constructor({ logger, authorize = () => {} }: GrpcHandlersOptions) {
    this.#logger = logger;
    this.#authorize = authorize;
  }

  unary<Request, Response>(
    handle: (request: Request, context: CallContext) => Promise<Response>,
  ): handleUnaryCall<Request, Response> {
    return (call, callback) => {
      this.#answer(call, (context) => handle(call.request, context)).then(
        (response) => callback(null, response),
        (error: unknown) => callback(this.#statusOf(error, call)),
      );
    };
  }

  serverStream<Request, Response>(
    handle: (request: Request, context: CallContext) => AsyncIterable<Response>,
  ): handleServerStreamingCall<Request, Response> {
    return (call) => {
      this.#answer(call, (context) => send(call, handle(call.request, context), context.signal)).then(
        () => call.end(),
        (error: unknown) => call.emit("error", this.#statusOf(error, call)),
      );
    };
  }

  /** When the caller breaks off, the messages just end: a request of several must say which is its last. */
  clientStream<Request, Response>(
    handle: (requests: AsyncIterable<Request>, context: CallContext) => Promise<Response>,
  ): handleClientStreamingCall<Request, Response> {
    return (call, callback) => {
      this.#answer(call, (context) => handle(messagesOf(call), context)).then(
        (response) => callback(null, response),
        (error: unknown) => callback(this.#statusOf(error, call)),
      );
    };
  }

  bidi<Request, Response>(
    handle: (requests: AsyncIterable<Request>, context: CallContext) => AsyncIterable<Response>,
  ): handleBidiStreamingCall<Request, Response> {
    return (call) => {
      this.#answer(call, (context) => send(call, handle(messagesOf(call), context), context.signal)).then(
        () => call.end(),
        (error: unknown) => call.emit("error", this.#statusOf(error, call)),
      );
    };
  }

  async #answer<Result>(call: ServerCall, work: (context: CallContext) => Promise<Result>): Promise<Result> {
    const context = new ServerCallContext(call, this.#logger);
    this.#authorize(context);
    return work(context);
  }

  #statusOf(thrown: unknown, call: ServerCall) {
    const error = toPlatformError(thrown);
    // A caller that has left hears of nothing, and its leaving is what failed the handler.
    if (error.code === "INTERNAL" && !call.cancelled)
      this.#logger.error({ error: error.cause ?? error, path: call.getPath() }, "call failed");
    return toStatus(error);
  }
}

/** What the four kinds of calls have in common. */
interface ServerCall extends NodeJS.EventEmitter {
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  getPath(): string;
  getDeadline(): Deadline;
}

/** Made for every call, so it makes its parts only when they are asked for. */
class ServerCallContext implements CallContext {
  readonly #call: ServerCall;
  readonly #logger: Logger;
  #controller: AbortController | undefined;

  constructor(call: ServerCall, logger: Logger) {
    this.#call = call;
    this.#logger = logger;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#call.cancelled) controller.abort();
      else this.#call.once("cancelled", () => controller.abort());
    }
    return this.#controller.signal;
  }

  get deadlineMs(): number {
    return Number(this.#call.getDeadline());
  }

  get metadata(): Metadata {
    return this.#call.metadata;
  }

  get path(): string {
    return this.#call.getPath();
  }

  get logger(): Logger {
    return this.#logger.child({ path: this.path });
  }
}

/** The caller's messages. Having read them all must not end the call: there is an answer to write yet. */
function messagesOf<Request>(call: Readable): AsyncIterable<Request> {
  // The library deserialises each message before it gets here.
  return call.iterator({ destroyOnReturn: false }) as AsyncIterable<Request>;
}

/** Writes as fast as the caller reads; ends the source when the caller has left. */
async function send<Response>(
  call: NodeJS.EventEmitter & { write(message: Response): boolean },
  messages: AsyncIterable<Response>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) return;
    if (!call.write(message)) await drained(call, signal);
  }
}

function drained(call: NodeJS.EventEmitter, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    call.off("drain", done);
    signal.removeEventListener("abort", done);
    resolve();
  };
  call.once("drain", done);
  signal.addEventListener("abort", done);
  if (signal.aborted) done();
  return promise;
}
