import { fromAppendMessage } from "#adapters/grpc/messages/append-messages.ts";
import { fromBeginMessage } from "#adapters/grpc/messages/begin-messages.ts";
import { fromFinishMessage, toFinishedMessage } from "#adapters/grpc/messages/finish-messages.ts";
import { toHeadMessage } from "#adapters/grpc/messages/head-messages.ts";
import { fromLeaseDuration } from "#adapters/grpc/messages/lease-duration.ts";
import { batches, fromSessionKey, fromTimestamp, PAGE_CHARACTERS } from "#adapters/grpc/messages/messages.ts";
import { fromLeaseMessage, fromStatusMessage, toRunMessage } from "#adapters/grpc/messages/run-messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import type { ListRunsRequest__Output } from "#proto/fairlead/session/v1/ListRunsRequest.ts";
import type { ListRunsResponse } from "#proto/fairlead/session/v1/ListRunsResponse.ts";
import type { PipedAnswer } from "#proto/fairlead/session/v1/PipedAnswer.ts";
import type { PipedRequest__Output } from "#proto/fairlead/session/v1/PipedRequest.ts";
import type { RunJournalServiceHandlers } from "#proto/fairlead/session/v1/RunJournalService.ts";
import { answerPipe } from "#shared/grpc/answer-pipe.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import type { Authority } from "#shared/security/authority.ts";
import type { GrantedJournal, RunKey } from "./granted-journal.ts";
import { answerPiped, bytesOfAnswer, fieldsOfPiped, grantForOf } from "./journal-pipe.ts";
import { pageOf } from "./page.ts";

/** The gRPC handlers of a `RunJournal`. Pipes end when `stopping` is aborted. */
export function runJournalHandlers(
  granted: GrantedJournal,
  handlers: GrpcHandlers,
  stopping: AbortSignal,
): RunJournalServiceHandlers {
  const { journal } = granted;
  return {
    BeginRun: handlers.serverStream(async function* (request, { authority }) {
      yield* await granted.begin(fromBeginMessage(request), authority, grantForOf(request));
    }),
    AppendEvents: handlers.unary((request, { authority }) => granted.append(fromAppendMessage(request), authority)),
    JournalPipe: handlers.bidi((requests, { logger, signal: gone, piped }) =>
      answerPipe<PipedRequest__Output, PipedAnswer>(requests, {
        answer: (request) => answerPiped(request, granted, piped),
        refusal: (number, failure) => ({ number, failure }),
        bytesOf: bytesOfAnswer,
        fieldsOf: fieldsOfPiped,
        logger,
        signal: AbortSignal.any([gone, stopping]),
      }),
    ),
    FinishRun: handlers.unary(async (request) => toFinishedMessage(await journal.finish(fromFinishMessage(request)))),
    RenewLease: handlers.unary(({ lease, leaseDuration }, { authority }) =>
      granted.renew(fromLeaseMessage(lease), fromLeaseDuration(leaseDuration), authority),
    ),
    ReleaseRun: handlers.unary(async ({ lease }) => ({
      run: toRunMessage(await journal.release(fromLeaseMessage(lease))),
    })),
    SignGrant: handlers.unary(async (_, { authority }) => ({ grant: granted.sign(authority) })),
    RequestCancel: handlers.unary(async (request, { authority, mayReach }) => ({
      run: toRunMessage(await granted.cancel(runKeyOf(request), authority, mayReach)),
    })),
    GetRun: handlers.unary(async (request, { authority, mayReach }) => {
      const run = await granted.get(runKeyOf(request), authority, mayReach);
      return run === undefined ? {} : { run: toRunMessage(run) };
    }),
    ListRuns: handlers.serverStream((request, { authority }) => listRuns(granted, request, authority)),
    BatchGetHeads: handlers.unary(async ({ sessions }) => ({
      heads: (await journal.getHeads(sessions.map(fromSessionKey))).map(toHeadMessage),
    })),
    ListAbandonedRuns: handlers.serverStream(async function* ({ minAge, limit, holder }, { authority }) {
      // `holder` is ignored where calls need principals: the names of runners are not secret, so a runner could name
      // another one to get its runs.
      const own = holder === undefined || authority.kind !== "unchecked" ? {} : { holder };
      const runs = await granted.listAbandoned({ minAgeMs: fromTimestamp(minAge), limit, ...own }, authority);
      for (const batch of batches(runs.map(toRunMessage), runBytes)) yield { runs: batch };
    }),
  };
}

function runKeyOf({ runId, ...tenant }: { readonly runId: string; readonly tenantId: string }): RunKey {
  return { ...fromTenantMember(tenant), runId };
}

function runBytes({ requestJson }: ReturnType<typeof toRunMessage>): number {
  return 2048 + (requestJson?.length ?? 0);
}

async function* listRuns(
  granted: GrantedJournal,
  request: ListRunsRequest__Output,
  { kind }: Authority,
): AsyncGenerator<ListRunsResponse> {
  const { session, appName, userId, statuses, pageSize, pageToken } = request;
  const owner = {
    ...fromTenantMember(request),
    appName,
    userId,
  };
  if (kind === "no-user") {
    for await (const active of granted.activeRuns(owner)) yield { runs: active.map(toRunMessage) };
    return;
  }
  const query = {
    session: session ? fromSessionKey(session) : undefined,
    ...owner,
    statuses: statuses.length > 0 ? statuses.map(fromStatusMessage) : undefined,
    maxCharacters: request.maxCharacters ?? PAGE_CHARACTERS,
    ...pageOf(pageSize, pageToken),
  };
  const answer = await granted.journal.list(query);
  const runs = answer.runs.map(toRunMessage);
  for (const batch of batches(runs, runBytes)) yield { runs: batch };
  if (answer.nextPageToken !== undefined) yield { nextPageToken: answer.nextPageToken };
}
