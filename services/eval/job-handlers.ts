import { fromDeleteMessage, fromListMessage, toPageMessage } from "#adapters/grpc/messages/data-messages.ts";
import { toJsonChunks } from "#adapters/grpc/messages/json-stream.ts";
import { toJsonBytes } from "#adapters/grpc/messages/messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { systemClock } from "#kit/platform/clock.ts";
import {
  EVAL_JOB_STATUSES,
  type EvalJob,
  type EvalJobKey,
  type EvalJobStatus,
} from "#ports/evaluation-jobs/eval-job.ts";
import { evalJobNotFound } from "#ports/evaluation-jobs/eval-job-rules.ts";
import type { ListEvalJobCasesRequest, NewEvalJob } from "#ports/evaluation-jobs/eval-job-store.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { DeleteEvaluationDataRequest__Output as DeletionMessage } from "#proto/fairlead/eval/v1/DeleteEvaluationDataRequest.ts";
import type { ListEvaluationCasesRequest__Output } from "#proto/fairlead/eval/v1/ListEvaluationCasesRequest.ts";
import type { ListEvaluationDataRequest__Output as DataMessage } from "#proto/fairlead/eval/v1/ListEvaluationDataRequest.ts";
import type { ListEvaluationResultsRequest__Output } from "#proto/fairlead/eval/v1/ListEvaluationResultsRequest.ts";
import type { ListEvaluationsRequest__Output } from "#proto/fairlead/eval/v1/ListEvaluationsRequest.ts";
import type { StartEvaluationRequest__Output } from "#proto/fairlead/eval/v1/StartEvaluationRequest.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import type { CallContext } from "#shared/grpc/incoming-call.ts";
import { type Owner, ownerOfRuns } from "#shared/security/principal.ts";
import { given } from "./given-json.ts";

/** A watch ends this long before the deadline of its call; the reader continues with another call. */
const MARGIN_MS = 500;

/**
 * The gRPC handlers of evaluations. A job whose requester the call may not reach is answered like one that does not
 * exist.
 */
export function jobHandlers(jobs: EvalJobs, handlers: GrpcHandlers) {
  const reached = async (message: JobName, { mayReach }: CallContext): Promise<EvalJob | undefined> => {
    const job = await jobs.get(keyOf(message));
    return job !== undefined && mayReach(ownerOfJob(job)) ? job : undefined;
  };
  const existing = async (message: JobName, context: CallContext): Promise<EvalJobKey> => {
    if ((await reached(message, context)) === undefined) throw evalJobNotFound(message);
    return keyOf(message);
  };
  const data = tenantDataOf(jobs);
  return {
    ListEvaluationData: handlers.unary(async (request: DataMessage) =>
      toPageMessage(await data.listData(fromListMessage(request))),
    ),
    DeleteEvaluationData: handlers.unary((request: DeletionMessage) => data.deleteData(fromDeleteMessage(request))),
    DescribeEvaluations: handlers.unary(async () => ({ judgeModels: [...(await jobs.describe()).judgeModels] })),
    StartEvaluation: handlers.bidi(async function* (messages: AsyncIterable<StartEvaluationRequest__Output>) {
      const { value, first } = await given<JobBody, StartEvaluationRequest__Output>(messages);
      yield* toJsonChunks(await jobs.start(toNewJob(value, first)), {});
    }),
    GetEvaluation: handlers.serverStream(async function* (message: JobName, context) {
      const job = await reached(message, context);
      if (job !== undefined) yield* toJsonChunks(job, {});
    }),
    ListEvaluations: handlers.serverStream(async function* (message: ListEvaluationsRequest__Output) {
      yield* toJsonChunks(await jobs.list(toListRequest(message)), {});
    }),
    ListEvaluationCases: handlers.serverStream(async function* (message: ListEvaluationCasesRequest__Output, context) {
      await existing(message, context);
      yield* toJsonChunks(await jobs.listCases(toPageRequest(message)), {});
    }),
    ListEvaluationResults: handlers.serverStream(async function* (
      message: ListEvaluationResultsRequest__Output,
      context,
    ) {
      await existing(message, context);
      yield* toJsonChunks(await jobs.listResults(toPageRequest(message)), {});
    }),
    WatchEvaluation: handlers.serverStream(async function* (
      message: JobName & { readonly afterSequence: number },
      context,
    ) {
      const key = await existing(message, context);
      const leftMs = Math.max(context.deadlineMs - systemClock.now() - MARGIN_MS, 0);
      const late = AbortSignal.timeout(leftMs);
      const signal = AbortSignal.any([context.signal, late]);
      try {
        for await (const change of jobs.watch({ ...key, afterSequence: message.afterSequence }, signal))
          yield { json: toJsonBytes(change) };
      } catch (error) {
        if (!late.aborted) throw error;
      }
    }),
    CancelEvaluation: handlers.serverStream(async function* (message: JobName, context) {
      yield* toJsonChunks(await jobs.cancel(await existing(message, context)), {});
    }),
  };
}

/** Who may reach a job: its requester, and callers who may reach all users. */
export function ownerOfJob({ tenantId, appName, requester: { userId } }: EvalJob): Owner {
  return ownerOfRuns({ tenantId, appName, userId });
}

interface JobName {
  readonly tenantId: string;
  readonly jobId: string;
}

function keyOf({ jobId, ...tenant }: JobName): EvalJobKey {
  return { ...fromTenantMember(tenant), jobId };
}

/** The members of a job that the first message has no fields for. */
type JobBody = Omit<NewEvalJob, "tenantId" | "appName" | "requester"> & { readonly keyId?: string };

function toNewJob({ keyId, ...body }: JobBody, first: StartEvaluationRequest__Output): NewEvalJob {
  const { appName, userId } = first;
  const requester = { userId, keyId };
  return { ...body, ...fromTenantMember(first), appName, requester };
}

function toListRequest(message: ListEvaluationsRequest__Output) {
  const { appName, evalSetId, userId, pageSize, pageToken } = message;
  const statuses = message.statuses.map(toStatus);
  return {
    ...fromTenantMember(message),
    appName,
    evalSetId,
    userId,
    pageSize,
    pageToken,
    statuses,
  };
}

function toStatus(text: string): EvalJobStatus {
  const status = EVAL_JOB_STATUSES.find((each) => each === text);
  if (status !== undefined) return status;
  throw new PlatformError("INVALID_FIELD", `statuses must be of ${EVAL_JOB_STATUSES.join(", ")}: "${text}"`, {
    details: { field: "statuses" },
  });
}

function toPageRequest(message: ListEvaluationCasesRequest__Output): ListEvalJobCasesRequest {
  const { afterIndex, pageSize } = message;
  return {
    ...keyOf(message),
    afterIndex,
    pageSize,
  };
}
