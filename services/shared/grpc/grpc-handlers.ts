import type { Readable } from "node:stream";
import type { PeerCertificate } from "node:tls";
import type {
  Deadline,
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerUnaryCall,
} from "@grpc/grpc-js";
import { toStatus } from "#adapters/grpc/channel/error-status.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { logFailedCall } from "../logging/log-failed-call.ts";
import { type Authority, principalOf, UNCHECKED } from "../security/authority.ts";
import type { ServiceName } from "../security/call-graph.ts";
import { mayReach, type Owner } from "../security/principal.ts";
import { CallGate, type CallGateOptions } from "./call-gate.ts";
import type { CallContext } from "./incoming-call.ts";

export interface GrpcHandlersOptions extends CallGateOptions {
  readonly logger: Logger;
}

/**
 * Turns async functions and generators into gRPC handlers. This is the only place where a thrown error becomes a call's
 * status.
 */
export class GrpcHandlers {
  readonly #logger: Logger;
  readonly #gate: CallGate;

  constructor(options: GrpcHandlersOptions) {
    this.#logger = options.logger;
    this.#gate = new CallGate(options);
  }

  unary<Request, Response>(
    handle: (request: Request, context: CallContext) => Promise<Response>,
  ): handleUnaryCall<Request, Response> {
    return (call, callback) => {
      this.#answer(call, call.request, (context) => handle(call.request, context)).then(
        (response) => callback(null, response),
        (error: unknown) => callback(this.#statusOf(error, call)),
      );
    };
  }

  serverStream<Request, Response>(
    handle: (request: Request, context: CallContext) => AsyncIterable<Response>,
  ): handleServerStreamingCall<Request, Response> {
    return (call) => {
      const work = (context: CallContext) => send(call, handle(call.request, context), context.signal);
      this.#answer(call, call.request, work).then(
        () => call.end(),
        (error: unknown) => call.emit("error", this.#statusOf(error, call)),
      );
    };
  }

  /**
   * If the caller disconnects, the messages end without an error: a request of several messages must mark its last one.
   */
  clientStream<Request, Response>(
    handle: (requests: AsyncIterable<Request>, context: CallContext) => Promise<Response>,
  ): handleClientStreamingCall<Request, Response> {
    return (call, callback) => {
      const work = (context: CallContext) => handle(this.#messagesOf<Request>(call, context), context);
      this.#answer(call, undefined, work).then(
        (response) => callback(null, response),
        (error: unknown) => callback(this.#statusOf(error, call)),
      );
    };
  }

  bidi<Request, Response>(
    handle: (requests: AsyncIterable<Request>, context: CallContext) => AsyncIterable<Response>,
  ): handleBidiStreamingCall<Request, Response> {
    return (call) => {
      const work = (context: CallContext) =>
        send(call, handle(this.#messagesOf<Request>(call, context), context), context.signal);
      this.#answer(call, undefined, work).then(
        () => call.end(),
        (error: unknown) => call.emit("error", this.#statusOf(error, call)),
      );
    };
  }

  async #answer<Result>(
    call: ServerCall,
    request: unknown,
    work: (context: CallContext) => Promise<Result>,
  ): Promise<Result> {
    const context = new ServerCallContext(call, this.#logger, this.#gate);
    return this.#gate.pass({ context, request, work });
  }

  /**
   * The caller's messages; the owner of each is checked. Reading all of them must not end the call, because the answer
   * follows.
   */
  #messagesOf<Request>(call: Readable, context: CallContext): AsyncIterable<Request> {
    // The library deserialises each message before it gets here.
    return this.#gate.checked(call.iterator({ destroyOnReturn: false }) as AsyncIterable<Request>, context);
  }

  #statusOf(thrown: unknown, call: ServerCall) {
    const error = toPlatformError(thrown);
    // A caller that has left gets no status, and its leaving is the cause of the failure.
    if (!call.cancelled) logFailedCall(this.#logger, error, { path: call.getPath() });
    return toStatus(error);
  }
}

/** The common part of the four kinds of calls. */
interface ServerCall extends NodeJS.EventEmitter {
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  getAuthContext: ServerUnaryCall<unknown, unknown>["getAuthContext"];
  getPath(): string;
  getDeadline(): Deadline;
}

/** Created for every call, so its parts are created on first use. */
class ServerCallContext implements CallContext {
  /** Set by the gate before the handler runs. */
  authority: Authority = UNCHECKED;
  caller: ServiceName | undefined;
  readonly #call: ServerCall;
  readonly #logger: Logger;
  readonly #gate: CallGate;
  #controller: AbortController | undefined;

  constructor(call: ServerCall, logger: Logger, gate: CallGate) {
    this.#call = call;
    this.#logger = logger;
    this.#gate = gate;
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

  get peerCertificate(): PeerCertificate | undefined {
    return this.#call.getAuthContext().sslPeerCertificate;
  }

  get mayReach(): (owner: Owner) => boolean {
    const { authority } = this;
    const principal = principalOf(authority);
    return (owner) => authority.kind === "unchecked" || (principal !== undefined && mayReach(principal, owner));
  }

  get piped(): CallContext["piped"] {
    return (call) => this.#gate.passPiped(this, call);
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

/** The messages that are not taken yet, and the writing of one. */
interface MessageSink<Response> {
  readonly writableLength: number;
  write(message: Response, onTaken?: () => void): boolean;
}

/** Writes as fast as the caller reads: two messages are in memory at most. Ends the source when the caller has left. */
async function send<Response>(
  call: MessageSink<Response>,
  messages: AsyncIterable<Response>,
  signal: AbortSignal,
): Promise<void> {
  let proceed = (): void => {};
  const stop = (): void => proceed();
  signal.addEventListener("abort", stop);
  try {
    for await (const message of messages) {
      if (signal.aborted) return;
      // The library would keep sixteen messages, whatever their size, for a caller that does not read.
      if (call.writableLength === 0) call.write(message);
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        proceed = resolve;
        call.write(message, proceed);
        await promise;
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
