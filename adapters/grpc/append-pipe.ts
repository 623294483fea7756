import type { ClientDuplexStream } from "@grpc/grpc-js";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { AppendEventsRequest, AppendEventsResult } from "#kit/sessions/run-journal.ts";
import type { AppendPipeRequest } from "#proto/agentplane/session/v1/AppendPipeRequest.ts";
import type { AppendPipeResponse__Output } from "#proto/agentplane/session/v1/AppendPipeResponse.ts";
import { fromAppendedMessage, toAppendMessage } from "./append-messages.ts";
import { isReason } from "./error-status.ts";
import { required } from "./messages.ts";

type Call = ClientDuplexStream<AppendPipeRequest, AppendPipeResponse__Output>;

/** After this long a new stream is opened, so that a runner's appends find session services that came later. */
const MAX_AGE_MS = 300_000;

export interface AppendPipeOptions {
  readonly open: () => Call;
  readonly clock: Clock;
  /** How long an append may wait for its answer. */
  readonly timeoutMs: number;
}

/**
 * One long-lived stream for the appends of all runs: six times cheaper than a call each. Opened by the first append, and again by the
 * first after it broke.
 */
export class AppendPipe implements AsyncDisposable {
  readonly #options: AppendPipeOptions;
  #stream: AppendStream | undefined;

  constructor(options: AppendPipeOptions) {
    this.#options = options;
  }

  /** Undefined when the stream broke before the answer: whether the events are stored is unknown, and the append must be repeated. */
  append(request: AppendEventsRequest): Promise<AppendEventsResult | undefined> {
    const now = this.#options.clock.monotonic();
    if (this.#stream !== undefined && now - this.#stream.openedAt > MAX_AGE_MS) {
      this.#stream.finish();
      this.#stream = undefined;
    }
    if (this.#stream === undefined || this.#stream.broken)
      this.#stream = new AppendStream(this.#options.open(), now, this.#options.timeoutMs);
    return this.#stream.append(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.cancel();
  }
}

interface Waiting {
  readonly request: AppendEventsRequest;
  readonly resolve: (result: AppendEventsResult | undefined) => void;
  readonly reject: (error: PlatformError) => void;
  readonly timer: NodeJS.Timeout;
}

class AppendStream {
  readonly openedAt: number;
  readonly #call: Call;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #broken = false;
  /** Set while the service takes no more: later appends wait for it in their order. */
  #room: Promise<void> | undefined;

  constructor(call: Call, openedAt: number, timeoutMs: number) {
    this.#call = call;
    this.openedAt = openedAt;
    this.#timeoutMs = timeoutMs;
    call.on("data", (answer: AppendPipeResponse__Output) => this.#settle(answer));
    call.on("error", () => this.#break());
    call.on("end", () => this.#break());
  }

  get broken(): boolean {
    return this.#broken;
  }

  append(request: AppendEventsRequest): Promise<AppendEventsResult | undefined> {
    this.#number += 1;
    const number = this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<AppendEventsResult | undefined>();
    const timer = setTimeout(() => this.#giveUp(number), this.#timeoutMs).unref();
    this.#waiting.set(number, { request, resolve, reject, timer });
    if (this.#room === undefined) this.#write(number);
    else void this.#room.then(() => this.#write(number));
    return promise;
  }

  /** Asks for nothing more; answers still come. */
  finish(): void {
    if (this.#room === undefined) this.#call.end();
    else void this.#room.then(() => this.finish());
  }

  cancel(): void {
    this.#call.cancel();
    this.#break();
  }

  #write(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return;
    const taken = this.#call.write({ number, append: toAppendMessage(waiting.request) });
    if (!taken) this.#room ??= this.#drained();
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#call.once("drain", resolve);
      this.#call.once("close", resolve);
    });
    this.#room = undefined;
  }

  #settle(answer: AppendPipeResponse__Output): void {
    const waiting = this.#take(answer.number);
    if (waiting === undefined) return;
    try {
      if (answer.failure) waiting.reject(failureOf(answer.failure));
      else waiting.resolve(fromAppendedMessage(required(answer.appended), waiting.request));
    } catch (error) {
      waiting.reject(error instanceof PlatformError ? error : new PlatformError("INTERNAL", "The answer is broken."));
    }
  }

  #giveUp(number: number): void {
    const late = new PlatformError("SERVICE_TIMEOUT", "The session service did not answer in time. Try again.");
    this.#take(number)?.reject(late);
  }

  #break(): void {
    this.#broken = true;
    for (const number of [...this.#waiting.keys()]) this.#take(number)?.resolve(undefined);
  }

  #take(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

function failureOf(failure: NonNullable<AppendPipeResponse__Output["failure"]>): PlatformError {
  const { reason, message, details } = failure;
  return new PlatformError(isReason(reason) ? reason : "INTERNAL", message, { details });
}
