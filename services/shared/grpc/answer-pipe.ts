import { batches } from "#adapters/grpc/messages/messages.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";
import type { PipedFailure } from "#proto/fairlead/common/v1/PipedFailure.ts";
import { logFailedCall } from "../logging/log-failed-call.ts";

/**
 * Most requests of one pipe in progress. At this number the pipe is not read, so that flow control stops the caller.
 */
const MAX_IN_PROGRESS = 256;

interface PipedAnswer {
  readonly number?: number;
  /** Whether another answer to the same request follows. */
  readonly more?: boolean;
}

export interface AnswerPipeOptions<Request, Answer> {
  /** Answers in one or several messages. A thrown error becomes a `refusal`. */
  readonly answer: (request: Request) => Promise<Iterable<Answer>>;
  readonly refusal: (number: number, failure: PipedFailure) => Answer;
  /** The approximate size of an answer in bytes. */
  readonly bytesOf: (answer: Answer) => number;
  /** Log fields that identify a failed request. */
  readonly fieldsOf: (request: Request) => LogFields;
  readonly logger: Logger;
  /** Aborted when the pipe must end: the caller has left, or the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Answers the requests of a pipe concurrently: in the order in which they complete, so that a slow one does not delay
 * the others; an answer of many messages alternates with them. Answers that are ready in one turn of the event loop
 * share a message.
 *
 * The pipe owns the requests in progress. When `signal` is aborted it takes no more requests and answers those in
 * progress; it ends when they are answered or when the caller has left.
 */
export async function* answerPipe<Request extends { readonly number: number }, Answer extends PipedAnswer>(
  messages: AsyncIterable<{ readonly requests: readonly Request[] }>,
  options: AnswerPipeOptions<Request, Answer>,
): AsyncGenerator<{ answers: Answer[] }, void, undefined> {
  const { signal, bytesOf } = options;
  const ready: Iterator<Answer>[] = [];
  let inProgress = 0;
  let heardAll = false;
  let wake = (): void => {};
  let makeRoom = (): void => {};
  const take = async (request: Request): Promise<void> => {
    inProgress += 1;
    ready.push((await answerTo(request, options))[Symbol.iterator]());
    inProgress -= 1;
    makeRoom();
    wake();
  };
  const listen = async (): Promise<void> => {
    for await (const { requests } of messages) {
      if (signal.aborted) return;
      for (const request of requests) void take(request);
      if (inProgress >= MAX_IN_PROGRESS) await new Promise<void>((resolve) => (makeRoom = resolve));
    }
  };
  const end = (): void => {
    heardAll = true;
    wake();
  };
  // A caller that disconnects is not an error: it repeats the requests that have no answer.
  listen().then(end, end);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  while (!heardAll || inProgress > 0 || ready.length > 0) {
    if (ready.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    await new Promise((resolve) => setImmediate(resolve));
    for (const answers of batches(nextOfEach(ready), bytesOf)) yield { answers };
  }
}

/** Takes one message of each answer; answers with more messages stay queued. */
function* nextOfEach<Answer extends PipedAnswer>(ready: Iterator<Answer>[]): Generator<Answer, void, undefined> {
  for (const answers of ready.splice(0)) {
    const { value, done } = answers.next();
    if (done === true) continue;
    yield value;
    if (value.more === true) ready.push(answers);
  }
}

async function answerTo<Request extends { readonly number: number }, Answer extends PipedAnswer>(
  request: Request,
  { answer, refusal, fieldsOf, logger }: AnswerPipeOptions<Request, Answer>,
): Promise<Iterable<Answer>> {
  try {
    return await answer(request);
  } catch (thrown) {
    const error = toPlatformError(thrown);
    const { reason, message, details } = error;
    logFailedCall(logger, error, fieldsOf(request));
    return [refusal(request.number, { reason, message, details })];
  }
}
