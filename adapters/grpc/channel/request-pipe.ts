import type { ClientDuplexStream } from "@grpc/grpc-js";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { PipedFailure__Output } from "#proto/fairlead/common/v1/PipedFailure.ts";
import { BATCH_BYTES } from "../messages/messages.ts";
import type { CallInterceptorOptions } from "./call-interceptor.ts";
import { isReason } from "./error-status.ts";

/** Larger requests are sent as single calls: one over the message limit would break the stream for all. */
export const MAX_PIPED_BYTES = 1024 * 1024;
/** Approximate size of a request besides its JSON. */
export const PIPED_ENVELOPE_BYTES = 1024;

/** The common members of the requests of all pipes. */
interface PipedRequest {
  readonly number?: number;
  readonly principal?: string;
  readonly grant?: string;
  readonly traceParent?: string;
}

/** The common members of the answers of all pipes. */
interface PipedAnswer {
  /** The number of the request that this answers. */
  readonly number: number;
  readonly failure?: PipedFailure__Output | null;
  /** Another answer to the same request follows. */
  readonly more?: boolean;
}

type Call<Request, Answer> = ClientDuplexStream<
  { requests: Numbered<Request>[] },
  { readonly answers: readonly Answer[] }
>;

type Numbered<Request> = Request & { readonly number: number };

export interface RequestPipeOptions<Request, Answer> extends Pick<CallInterceptorOptions, "facts"> {
  /** The service's name in messages: `session`. */
  readonly name: string;
  readonly open: () => Call<Request, Answer>;
  readonly clock: Clock;
  /** How long a request may wait for its answer. */
  readonly timeoutMs: number;
  /** The age at which a new stream is opened, so that requests reach service processes that started later. */
  readonly maxAgeMs: number;
}

/** A request, and the path of the call that it replaces. */
export interface PipedCall<Request> {
  readonly path: string;
  readonly request: Request;
  /** The approximate size of the request. */
  readonly bytes: number;
}

/**
 * Sends the requests of many runs over one long-lived stream, which costs much less than one call for each; the
 * requests of one turn of the event loop share a message. The first request opens the stream. A stream is replaced when
 * it has broken or reached `maxAgeMs`: an old one sends its remaining requests, still receives their answers and is
 * then ended by the service. Each request ends with its answer, with `SERVICE_TIMEOUT` after `timeoutMs`, or with
 * undefined if its stream breaks or the pipe is disposed.
 */
export class RequestPipe<Request extends PipedRequest, Answer extends PipedAnswer> implements AsyncDisposable {
  readonly #options: RequestPipeOptions<Request, Answer>;
  #stream: RequestStream<Request, Answer> | undefined;

  constructor(options: RequestPipeOptions<Request, Answer>) {
    this.#options = options;
  }

  /**
   * Returns the messages of the answer, at least one. Undefined if the stream broke before the answer: the outcome of
   * the request is unknown, and the request must be repeated.
   */
  ask({ path, request, bytes }: PipedCall<Request>): Promise<readonly Answer[] | undefined> {
    const { clock, maxAgeMs, facts } = this.#options;
    const now = clock.monotonic();
    if (this.#stream !== undefined && now - this.#stream.openedAt > maxAgeMs) {
      void this.#stream.finish();
      this.#stream = undefined;
    }
    if (this.#stream === undefined || this.#stream.broken) this.#stream = new RequestStream(this.#options, now);
    // The stream itself carries the token of this service.
    const { serviceToken: _, ...carried } = facts?.(path) ?? {};
    return this.#stream.ask({ ...request, ...carried }, bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.cancel();
  }
}

interface Waiting<Answer> {
  readonly answers: Answer[];
  readonly resolve: (answers: readonly Answer[] | undefined) => void;
  readonly reject: (error: PlatformError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Outgoing<Request> {
  readonly request: Numbered<Request>;
  readonly bytes: number;
}

class RequestStream<Request extends PipedRequest, Answer extends PipedAnswer> {
  readonly openedAt: number;
  readonly #options: RequestPipeOptions<Request, Answer>;
  readonly #call: Call<Request, Answer>;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #number = 0;
  #broken = false;
  #outgoing: Outgoing<Request>[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: RequestPipeOptions<Request, Answer>, now: number) {
    this.#options = options;
    this.openedAt = now;
    this.#call = options.open();
    this.#call.on("data", ({ answers }: { readonly answers: readonly Answer[] }) => {
      for (const answer of answers) this.#settle(answer);
    });
    this.#call.on("error", () => this.#break());
    this.#call.on("end", () => this.#break());
  }

  get broken(): boolean {
    return this.#broken;
  }

  ask(request: Request, bytes: number): Promise<readonly Answer[] | undefined> {
    this.#number += 1;
    const number = this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<readonly Answer[] | undefined>();
    const timer = setTimeout(() => this.#timeOut(number), this.#options.timeoutMs).unref();
    this.#waiting.set(number, { answers: [], resolve, reject, timer });
    this.#outgoing.push({ request: { ...request, number }, bytes });
    this.#sending ??= this.#send();
    return promise;
  }

  /** Ends the sending side after the queued requests; answers are still received. */
  async finish(): Promise<void> {
    await this.#sending;
    this.#call.end();
  }

  cancel(): void {
    this.#call.cancel();
    this.#break();
  }

  /**
   * Sends one message for the requests of each turn of the event loop, while there are any, and waits while the stream
   * is full.
   */
  async #send(): Promise<void> {
    while (this.#outgoing.length > 0 && !this.#broken) {
      await new Promise((resolve) => setImmediate(resolve));
      const taken = this.#call.write({ requests: this.#nextBatch() });
      if (!taken) await this.#drained();
    }
    this.#sending = undefined;
  }

  /** The requests that fit into one message, without those that have timed out. */
  #nextBatch(): Numbered<Request>[] {
    const requests: Numbered<Request>[] = [];
    let bytes = 0;
    let taken = 0;
    for (const outgoing of this.#outgoing) {
      bytes += outgoing.bytes;
      if (taken > 0 && bytes > BATCH_BYTES) break;
      taken += 1;
      if (this.#waiting.has(outgoing.request.number)) requests.push(outgoing.request);
    }
    this.#outgoing.splice(0, taken);
    return requests;
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#call.once("drain", resolve);
      this.#call.once("close", resolve);
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.number);
    if (waiting === undefined) return;
    waiting.answers.push(answer);
    if (answer.more === true) return;
    this.#remove(answer.number);
    if (answer.failure) waiting.reject(failureOf(answer.failure));
    else waiting.resolve(waiting.answers);
  }

  #timeOut(number: number): void {
    const message = `The ${this.#options.name} service did not answer in time. Try again.`;
    this.#remove(number)?.reject(new PlatformError("SERVICE_TIMEOUT", message));
  }

  #break(): void {
    this.#broken = true;
    for (const number of [...this.#waiting.keys()]) this.#remove(number)?.resolve(undefined);
  }

  #remove(number: number): Waiting<Answer> | undefined {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

function failureOf({ reason, message, details }: PipedFailure__Output): PlatformError {
  return new PlatformError(isReason(reason) ? reason : "INTERNAL", message, { details });
}
