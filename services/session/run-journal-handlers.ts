import { fromAppendMessage, toAppendedMessage } from "#adapters/grpc/messages/append-messages.ts";
import { fromBeginMessage, toBegunMessages } from "#adapters/grpc/messages/begin-messages.ts";
import { fromFinishMessage, toFinishedMessage } from "#adapters/grpc/messages/finish-messages.ts";
import { toHeadMessage } from "#adapters/grpc/messages/head-messages.ts";
import { batches, fromSessionKey, fromTimestamp } from "#adapters/grpc/messages/messages.ts";
import {
  fromLeaseMessage,
  fromStatusMessage,
  toLeaseMessage,
  toRunMessage,
} from "#adapters/grpc/messages/run-messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import { RunNotFoundError } from "#kit/errors/session-errors.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { ListRunsRequest__Output } from "#proto/fairlead/session/v1/ListRunsRequest.ts";
import type { ListRunsResponse } from "#proto/fairlead/session/v1/ListRunsResponse.ts";
import type { PipedAnswer } from "#proto/fairlead/session/v1/PipedAnswer.ts";
import type { PipedRequest__Output } from "#proto/fairlead/session/v1/PipedRequest.ts";
import type { RunJournalServiceHandlers } from "#proto/fairlead/session/v1/RunJournalService.ts";
import { answerPipe } from "#shared/grpc/answer-pipe.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import type { CallContext } from "#shared/grpc/incoming-call.ts";
import { answerPiped, bytesOfAnswer, fieldsOfPiped } from "./journal-pipe.ts";
import { pageOf } from "./page.ts";

/** The gRPC handlers of a `RunJournal`. Pipes end when `stopping` is aborted. */
export function runJournalHandlers(
  journal: RunJournal,
  handlers: GrpcHandlers,
  stopping: AbortSignal,
): RunJournalServiceHandlers {
  return {
    BeginRun: handlers.serverStream(async function* (request) {
      yield* toBegunMessages(await journal.begin(fromBeginMessage(request)));
    }),
    AppendEvents: handlers.unary(async (request) =>
      toAppendedMessage(await journal.append(fromAppendMessage(request))),
    ),
    JournalPipe: handlers.bidi((requests, { logger, signal: gone, piped }) =>
      answerPipe<PipedRequest__Output, PipedAnswer>(requests, {
        answer: (request) => answerPiped(request, journal, piped),
        refusal: (number, failure) => ({ number, failure }),
        bytesOf: bytesOfAnswer,
        fieldsOf: fieldsOfPiped,
        logger,
        signal: AbortSignal.any([gone, stopping]),
      }),
    ),
    FinishRun: handlers.unary(async (request) => toFinishedMessage(await journal.finish(fromFinishMessage(request)))),
    RenewLease: handlers.unary(async ({ lease, leaseDuration }) => {
      const renewed = await journal.renew(fromLeaseMessage(lease), fromTimestamp(leaseDuration));
      return { lease: toLeaseMessage(renewed.lease), cancelRequested: renewed.cancelRequested };
    }),
    ReleaseRun: handlers.unary(async ({ lease }) => ({
      run: toRunMessage(await journal.release(fromLeaseMessage(lease))),
    })),
    RequestCancel: handlers.unary(async ({ runId, ...tenant }, context) => {
      const { tenantId } = fromTenantMember(tenant);
      if (context.principal !== undefined) await assertReachable(journal, { runId, tenantId }, context);
      return { run: toRunMessage(await journal.cancel(runId, tenantId)) };
    }),
    GetRun: handlers.unary(async ({ runId, ...tenant }, { mayReach }) => {
      const run = await journal.get(runId, fromTenantMember(tenant).tenantId);
      return run === undefined || !mayReach(run.session) ? {} : { run: toRunMessage(run) };
    }),
    ListRuns: handlers.serverStream((request) => listRuns(journal, request)),
    BatchGetHeads: handlers.unary(async ({ sessions }) => ({
      heads: (await journal.getHeads(sessions.map(fromSessionKey))).map(toHeadMessage),
    })),
    ListAbandonedRuns: handlers.serverStream(async function* ({ minAge, limit, holder }) {
      const own = holder === undefined ? {} : { holder };
      const runs = await journal.listAbandoned({ minAgeMs: fromTimestamp(minAge), limit, ...own });
      for (const batch of batches(runs.map(toRunMessage), runBytes)) yield { runs: batch };
    }),
  };
}

/** The id of a run does not name its owner; a run of another owner must look like one that does not exist. */
async function assertReachable(
  journal: RunJournal,
  { runId, tenantId }: { readonly runId: string; readonly tenantId: string | undefined },
  { mayReach }: CallContext,
): Promise<void> {
  const run = await journal.get(runId, tenantId);
  if (run === undefined || !mayReach(run.session)) throw new RunNotFoundError(runId);
}

function runBytes({ requestJson }: ReturnType<typeof toRunMessage>): number {
  return 2048 + (requestJson?.length ?? 0);
}

async function* listRuns(journal: RunJournal, request: ListRunsRequest__Output): AsyncGenerator<ListRunsResponse> {
  const { session, appName, userId, statuses, pageSize, pageToken } = request;
  const answer = await journal.list({
    ...fromTenantMember(request),
    ...(session && { session: fromSessionKey(session) }),
    ...(appName !== undefined && { appName }),
    ...(userId !== undefined && { userId }),
    ...(statuses.length > 0 && { statuses: statuses.map(fromStatusMessage) }),
    ...pageOf(pageSize, pageToken),
  });
  const runs = answer.runs.map(toRunMessage);
  for (const batch of batches(runs, runBytes)) yield { runs: batch };
  if (answer.nextPageToken !== undefined) yield { nextPageToken: answer.nextPageToken };
}
