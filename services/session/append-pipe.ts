import { fromAppendMessage, toAppendedMessage } from "#adapters/grpc/append-messages.ts";
import { required } from "#adapters/grpc/messages.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { AppendPipeRequest__Output } from "#proto/agentplane/session/v1/AppendPipeRequest.ts";
import type { AppendPipeResponse } from "#proto/agentplane/session/v1/AppendPipeResponse.ts";

/** How many appends of one pipe may be under way; beyond that the caller is not read from, and gets to feel it. */
const MAX_UNDER_WAY = 256;

export interface AppendPipeContext {
  readonly journal: RunJournal;
  readonly logger: Logger;
  /** Aborts when the pipe must end: the caller has left, or the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Answers appends as they get done, which is not the order in which they came: a slow session does not hold up the others. Once told to
 * end it takes nothing more, and answers what is under way.
 */
export async function* answerAppends(
  requests: AsyncIterable<AppendPipeRequest__Output>,
  { journal, logger, signal }: AppendPipeContext,
): AsyncGenerator<AppendPipeResponse> {
  const answers: AppendPipeResponse[] = [];
  let underWay = 0;
  let heardAll = false;
  let wake = (): void => {};
  let makeRoom = (): void => {};
  const take = async (request: AppendPipeRequest__Output): Promise<void> => {
    underWay += 1;
    answers.push(await answer(request, journal, logger));
    underWay -= 1;
    makeRoom();
    wake();
  };
  const listen = async (): Promise<void> => {
    for await (const request of requests) {
      if (signal.aborted) return;
      void take(request);
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
  while (!heardAll || underWay > 0 || answers.length > 0) {
    yield* answers.splice(0);
    if (!heardAll || underWay > 0) await new Promise<void>((resolve) => (wake = resolve));
  }
}

async function answer(
  { number, append }: AppendPipeRequest__Output,
  journal: RunJournal,
  logger: Logger,
): Promise<AppendPipeResponse> {
  try {
    return { number, appended: toAppendedMessage(await journal.append(fromAppendMessage(required(append)))) };
  } catch (thrown) {
    const { code, reason, message, details, cause } = toPlatformError(thrown);
    if (code === "INTERNAL") logger.error({ error: cause ?? thrown }, "append failed");
    return { number, failure: { reason, message, details } };
  }
}
