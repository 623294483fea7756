import { fromAppendMessage, toAppendedMessage } from "#adapters/grpc/append-messages.ts";
import { fromBeginMessage, toBegunMessages } from "#adapters/grpc/begin-messages.ts";
import { fromFinishMessage, toFinishedMessage } from "#adapters/grpc/finish-messages.ts";
import { batches, required } from "#adapters/grpc/messages.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { BeginRunResult, RunJournal } from "#kit/sessions/run-journal.ts";
import type { BeginRunResponse } from "#proto/agentplane/session/v1/BeginRunResponse.ts";
import type { JournalPipeRequest__Output } from "#proto/agentplane/session/v1/JournalPipeRequest.ts";
import type { JournalPipeResponse } from "#proto/agentplane/session/v1/JournalPipeResponse.ts";
import type { PipedAnswer } from "#proto/agentplane/session/v1/PipedAnswer.ts";
import type { PipedRequest__Output } from "#proto/agentplane/session/v1/PipedRequest.ts";
import type { CallContext } from "#shared/grpc-handlers.ts";

/** How many requests of one pipe may be under way; beyond that the caller is not read from, and gets to feel it. */
const MAX_UNDER_WAY = 256;
/** What an answer takes besides events: about so much. */
const ENVELOPE_BYTES = 1024;

export interface JournalPipeContext {
  readonly journal: RunJournal;
  readonly logger: Logger;
  readonly piped: CallContext["piped"];
  /** Aborts when the pipe must end: the caller has left, or the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Answers requests as they get done, which is not the order in which they came: a slow session does not hold up the others, and one of many
 * events takes turns with them. What gets done in one turn of the event loop shares a message. Once told to end it takes nothing more, and
 * answers what is under way.
 */
export async function* answerPipe(
  requests: AsyncIterable<JournalPipeRequest__Output>,
  context: JournalPipeContext,
): AsyncGenerator<JournalPipeResponse> {
  const { signal } = context;
  const ready: Iterator<PipedAnswer>[] = [];
  let underWay = 0;
  let heardAll = false;
  let wake = (): void => {};
  let makeRoom = (): void => {};
  const take = async (request: PipedRequest__Output): Promise<void> => {
    underWay += 1;
    ready.push(await answer(request, context));
    underWay -= 1;
    makeRoom();
    wake();
  };
  const listen = async (): Promise<void> => {
    for await (const message of requests) {
      if (signal.aborted) return;
      for (const request of message.requests) void take(request);
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
function* nextOfEach(ready: Iterator<PipedAnswer>[]): Generator<PipedAnswer, void, undefined> {
  for (const answers of ready.splice(0)) {
    const { value, done } = answers.next();
    if (done === true) continue;
    yield value;
    if (value.more === true) ready.push(answers);
  }
}

async function answer(request: PipedRequest__Output, context: JournalPipeContext): Promise<Iterator<PipedAnswer>> {
  const { number } = request;
  try {
    return await carryOut(request, context);
  } catch (thrown) {
    const { code, reason, message, details, cause } = toPlatformError(thrown);
    if (code === "INTERNAL") context.logger.error({ error: cause ?? thrown }, "piped request failed");
    return [{ number, failure: { reason, message, details } }].values();
  }
}

async function carryOut(
  { number, begin, append, finish, principal, traceParent }: PipedRequest__Output,
  { journal, piped }: JournalPipeContext,
): Promise<Iterator<PipedAnswer>> {
  const on = { principal, traceParent };
  if (begin) {
    const work = (): Promise<BeginRunResult> => journal.begin(fromBeginMessage(begin));
    return begunAnswers(number, toBegunMessages(await piped({ ...on, method: "BeginRun", message: begin, work })));
  }
  if (finish) {
    const work = async () => toFinishedMessage(await journal.finish(fromFinishMessage(finish)));
    return [{ number, finished: await piped({ ...on, method: "FinishRun", message: finish, work }) }].values();
  }
  const message = required(append);
  const work = async () => toAppendedMessage(await journal.append(fromAppendMessage(message)));
  return [{ number, appended: await piped({ ...on, method: "AppendEvents", message, work }) }].values();
}

/** Made as they are sent, so that a long session is not in memory once more. */
function* begunAnswers(number: number, messages: Iterable<BeginRunResponse>): Generator<PipedAnswer, void, undefined> {
  let last: BeginRunResponse | undefined;
  for (const begun of messages) {
    if (last !== undefined) yield { number, begun: last, more: true };
    last = begun;
  }
  if (last !== undefined) yield { number, begun: last };
}

function bytesOf({ begun, appended, finished }: PipedAnswer): number {
  const events = begun?.events ?? appended?.missed ?? finished?.missed ?? [];
  return events.reduce((bytes, { json }) => bytes + (json?.length ?? 0), ENVELOPE_BYTES);
}
