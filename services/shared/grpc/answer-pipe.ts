import { batches } from "#adapters/grpc/messages/messages.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { LogFields, Logger } from "#kit/platform/logger.ts";
import type { PipedFailure } from "#proto/agentplane/common/v1/PipedFailure.ts";
import { logFailedCall } from "../logging/log-failed-call.ts";

/** How many requests of one pipe may be under way; beyond that the caller is not read from, and gets to feel it. */
const MAX_UNDER_WAY = 256;

interface PipedAnswer {
  readonly number?: number;
  /** Another answer to the same request follows. */
  readonly more?: boolean;
}

export interface AnswerPipeOptions<Request, Answer> {
  /** The answer, of one message or several. What it throws goes into `refusal`. */
  readonly answer: (request: Request) => Promise<Iterable<Answer>>;
  readonly refusal: (number: number, failure: PipedFailure) => Answer;
  /** About the size of an answer. */
  readonly bytesOf: (answer: Answer) => number;
  /** What the log has of a request that failed, so that it can be found. */
  readonly fieldsOf: (request: Request) => LogFields;
  readonly logger: Logger;
  /** Aborts when the pipe must end: the caller has left, or the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Answers requests as they get done, which is not the order in which they came: a slow one does not hold up the others, and an answer of
 * many messages takes turns with them. What gets done in one turn of the event loop shares a message. Once told to end it takes nothing
 * more, and answers what is under way.
 */
export async function* answerPipe<Request extends { readonly number: number }, Answer extends PipedAnswer>(
  messages: AsyncIterable<{ readonly requests: readonly Request[] }>,
  options: AnswerPipeOptions<Request, Answer>,
): AsyncGenerator<{ answers: Answer[] }, void, undefined> {
  const { signal, bytesOf } = options;
  const ready: Iterator<Answer>[] = [];
  let underWay = 0;
  let heardAll = false;
  let wake = (): void => {};
  let makeRoom = (): void => {};
  const take = async (request: Request): Promise<void> => {
    underWay += 1;
    ready.push((await answerTo(request, options))[Symbol.iterator]());
    underWay -= 1;
    makeRoom();
    wake();
  };
  const listen = async (): Promise<void> => {
    for await (const { requests } of messages) {
      if (signal.aborted) return;
      for (const request of requests) void take(request);
      if (underWay >= MAX_UNDER_WAY) await new Promise<void>((resolve) => (makeRoom = resolve));
    }
  };
  const end = (): void => {
    heardAll = true;
    wake();
  };
  // A caller that breaks off is no fault: it asks again for what it has no answer to.
  listen().then(end, end);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  while (!heardAll || underWay > 0 || ready.length > 0) {
    if (ready.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    await new Promise((resolve) => setImmediate(resolve));
    for (const answers of batches(nextOfEach(ready), bytesOf)) yield { answers };
  }
}

/** One message of each answer; those with more stay in line. */
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
