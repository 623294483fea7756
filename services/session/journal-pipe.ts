import { fromAppendMessage } from "#adapters/grpc/messages/append-messages.ts";
import { fromBeginMessage } from "#adapters/grpc/messages/begin-messages.ts";
import { fromFinishMessage, toFinishedMessage } from "#adapters/grpc/messages/finish-messages.ts";
import { required } from "#adapters/grpc/messages/messages.ts";
import type { LogFields } from "#kit/platform/logger.ts";
import type { BeginRunRequest__Output } from "#proto/fairlead/session/v1/BeginRunRequest.ts";
import type { BeginRunResponse } from "#proto/fairlead/session/v1/BeginRunResponse.ts";
import type { PipedAnswer } from "#proto/fairlead/session/v1/PipedAnswer.ts";
import type { PipedRequest__Output } from "#proto/fairlead/session/v1/PipedRequest.ts";
import type { CallContext } from "#shared/grpc/incoming-call.ts";
import type { Authority, GrantFor } from "#shared/security/authority.ts";
import type { GrantedJournal } from "./granted-journal.ts";

/** Approximate size of an answer without its events. */
const ENVELOPE_BYTES = 1024;

/** Executes a request of the pipe, which is checked as the call that it represents. */
export async function answerPiped(
  { number, begin, append, finish, principal, grant, traceParent }: PipedRequest__Output,
  granted: GrantedJournal,
  piped: CallContext["piped"],
): Promise<Iterable<PipedAnswer>> {
  const on = { principal, grant, traceParent };
  if (begin) {
    const work = (authority: Authority) => granted.begin(fromBeginMessage(begin), authority, grantForOf(begin));
    return begunAnswers(number, await piped({ ...on, method: "BeginRun", message: begin, work }));
  }
  if (finish) {
    const work = async () => toFinishedMessage(await granted.journal.finish(fromFinishMessage(finish)));
    return [{ number, finished: await piped({ ...on, method: "FinishRun", message: finish, work }) }];
  }
  const message = required(append);
  const work = (authority: Authority) => granted.append(fromAppendMessage(message), authority);
  return [{ number, appended: await piped({ ...on, method: "AppendEvents", message, work }) }];
}

/** Created while they are sent, so that a long session is not in memory a second time. */
function* begunAnswers(number: number, messages: Iterable<BeginRunResponse>): Generator<PipedAnswer, void, undefined> {
  let last: BeginRunResponse | undefined;
  for (const begun of messages) {
    if (last !== undefined) yield { number, begun: last, more: true };
    last = begun;
  }
  if (last !== undefined) yield { number, begun: last };
}

/** The form of grant that the caller of a begin accepts. */
export function grantForOf({ acceptsSessionGrant }: BeginRunRequest__Output): GrantFor {
  return acceptsSessionGrant ? "session" : "services";
}

export function bytesOfAnswer({ begun, appended, finished }: PipedAnswer): number {
  const events = begun?.events ?? appended?.missed ?? finished?.missed ?? [];
  return events.reduce((bytes, { json }) => bytes + (json?.length ?? 0), ENVELOPE_BYTES);
}

/** The method of the journal that a request represents, and its run. */
export function fieldsOfPiped({ begin, append, finish }: PipedRequest__Output): LogFields {
  if (begin) return { method: "BeginRun", runId: begin.runId, sessionId: begin.session?.id };
  const lease = (finish ?? append)?.lease;
  return { method: finish ? "FinishRun" : "AppendEvents", runId: lease?.runId, sessionId: lease?.session?.id };
}
