import type { ClientDuplexStream } from "@grpc/grpc-js";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { JournalPipeRequest } from "#proto/agentplane/session/v1/JournalPipeRequest.ts";
import type { JournalPipeResponse__Output } from "#proto/agentplane/session/v1/JournalPipeResponse.ts";
import type { PipedAnswer__Output } from "#proto/agentplane/session/v1/PipedAnswer.ts";
import type { PipedFailure__Output } from "#proto/agentplane/session/v1/PipedFailure.ts";
import type { PipedRequest } from "#proto/agentplane/session/v1/PipedRequest.ts";
import { isReason } from "./error-status.ts";
import { BATCH_BYTES } from "./messages.ts";

type Call = ClientDuplexStream<JournalPipeRequest, JournalPipeResponse__Output>;

/** What a run asks of the journal, without the number that the pipe gives it. */
export type JournalRequest = Omit<PipedRequest, "number">;

/** After this long a new stream is opened, so that a runner's requests find session services that came later. */
const MAX_AGE_MS = 300_000;

export interface JournalPipeOptions {
  readonly open: () => Call;
  readonly clock: Clock;
  /** How long a request may wait for its answer. */
  readonly timeoutMs: number;
}

/**
 * One long-lived stream for the requests of all runs, many times cheaper than a call each; those of one turn of the event loop share a
 * message. Opened by the first request, and again by the first after it broke.
 */
export class JournalPipe implements AsyncDisposable {
  readonly #options: JournalPipeOptions;
  #stream: JournalStream | undefined;

  constructor(options: JournalPipeOptions) {
    this.#options = options;
  }

  /**
   * The answer, of at least one message. Undefined when the stream broke before it: whether the request was carried out is unknown, and it
   * must be repeated. `bytes` is about the size of the request.
   */
  ask(request: JournalRequest, bytes: number): Promise<readonly PipedAnswer__Output[] | undefined> {
    const now = this.#options.clock.monotonic();
    if (this.#stream !== undefined && now - this.#stream.openedAt > MAX_AGE_MS) {
      void this.#stream.finish();
      this.#stream = undefined;
    }
    if (this.#stream === undefined || this.#stream.broken)
      this.#stream = new JournalStream(this.#options.open(), now, this.#options.timeoutMs);
    return this.#stream.ask(request, bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.cancel();
  }
}

interface Waiting {
  readonly answers: PipedAnswer__Output[];
  readonly resolve: (answers: readonly PipedAnswer__Output[] | undefined) => void;
  readonly reject: (error: PlatformError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Outgoing {
  readonly request: PipedRequest & { readonly number: number };
  readonly bytes: number;
}

class JournalStream {
  readonly openedAt: number;
  readonly #call: Call;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #broken = false;
  #outgoing: Outgoing[] = [];
  #sending: Promise<void> | undefined;

  constructor(call: Call, openedAt: number, timeoutMs: number) {
    this.#call = call;
    this.openedAt = openedAt;
    this.#timeoutMs = timeoutMs;
    call.on("data", ({ answers }: JournalPipeResponse__Output) => {
      for (const answer of answers) this.#settle(answer);
    });
    call.on("error", () => this.#break());
    call.on("end", () => this.#break());
  }

  get broken(): boolean {
    return this.#broken;
  }

  ask(request: JournalRequest, bytes: number): Promise<readonly PipedAnswer__Output[] | undefined> {
    this.#number += 1;
    const number = this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<readonly PipedAnswer__Output[] | undefined>();
    const timer = setTimeout(() => this.#giveUp(number), this.#timeoutMs).unref();
    this.#waiting.set(number, { answers: [], resolve, reject, timer });
    this.#outgoing.push({ request: { ...request, number }, bytes });
    this.#sending ??= this.#send();
    return promise;
  }

  /** Asks for nothing more than what was asked already; answers still come. */
  async finish(): Promise<void> {
    await this.#sending;
    this.#call.end();
  }

  cancel(): void {
    this.#call.cancel();
    this.#break();
  }

  /** Messages of what each turn of the event loop gathered, as long as there is something, and as fast as the service takes them. */
  async #send(): Promise<void> {
    while (this.#outgoing.length > 0 && !this.#broken) {
      await new Promise((resolve) => setImmediate(resolve));
      const taken = this.#call.write({ requests: this.#nextBatch() });
      if (!taken) await this.#drained();
    }
    this.#sending = undefined;
  }

  /** What fits into a message, without what was given up meanwhile. */
  #nextBatch(): PipedRequest[] {
    const requests: PipedRequest[] = [];
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

  #settle(answer: PipedAnswer__Output): void {
    const waiting = this.#waiting.get(answer.number);
    if (waiting === undefined) return;
    waiting.answers.push(answer);
    if (answer.more) return;
    this.#take(answer.number);
    if (answer.failure) waiting.reject(failureOf(answer.failure));
    else waiting.resolve(waiting.answers);
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

function failureOf({ reason, message, details }: PipedFailure__Output): PlatformError {
  return new PlatformError(isReason(reason) ? reason : "INTERNAL", message, { details });
}
