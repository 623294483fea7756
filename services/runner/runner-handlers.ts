import {
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  required,
  toJsonBytes,
} from "#adapters/grpc/messages/messages.ts";
import { fromPolicyMessage, toRunMessage } from "#adapters/grpc/messages/run-messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";
import type { PipedStart__Output } from "#proto/fairlead/runner/v1/PipedStart.ts";
import type { PipedStarted } from "#proto/fairlead/runner/v1/PipedStarted.ts";
import type { RunnerServiceHandlers } from "#proto/fairlead/runner/v1/RunnerService.ts";
import type { StartRunRequest__Output } from "#proto/fairlead/runner/v1/StartRunRequest.ts";
import type { StartRunResponse } from "#proto/fairlead/runner/v1/StartRunResponse.ts";
import { answerPipe } from "#shared/grpc/answer-pipe.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { answerLive } from "./live-handler.ts";

/** The gRPC handlers of a `RunnerService`. Pipes end when `stopping` is aborted. */
export function runnerHandlers(
  runner: RunnerService & LiveRunnerService,
  handlers: GrpcHandlers,
  stopping: AbortSignal,
): RunnerServiceHandlers {
  const start = async (message: StartRunRequest__Output): Promise<StartRunResponse> => ({
    run: toRunMessage(await runner.startRun(fromStartMessage(message))),
  });
  return {
    StartRun: handlers.unary(start),
    StartPipe: handlers.bidi((requests, { logger, signal: gone, piped }) =>
      answerPipe<PipedStart__Output, PipedStarted>(requests, {
        answer: async ({ number, start: given, principal, traceParent }) => {
          const message = required(given);
          const work = () => start(message);
          return [{ number, started: await piped({ method: "StartRun", message, principal, traceParent, work }) }];
        },
        refusal: (number, failure) => ({ number, failure }),
        bytesOf: ({ started }) => ANSWER_BYTES + (started?.run?.requestJson?.length ?? 0),
        fieldsOf: ({ start: given }) => ({ method: "StartRun", runId: given?.runId, sessionId: given?.session?.id }),
        logger,
        signal: AbortSignal.any([gone, stopping]),
      }),
    ),
    CancelRun: handlers.unary(async ({ runId, ...tenant }) => ({
      run: toRunMessage(await runner.cancelRun(runId, fromTenantMember(tenant).tenantId)),
    })),
    ListApps: handlers.unary(async () => ({ appNames: [...(await runner.listApps())] })),
    DescribeApp: handlers.unary(async ({ appName }) => ({ appJson: toJsonBytes(await runner.describeApp(appName)) })),
    RunLive: handlers.bidi((requests, { signal }) =>
      answerLive(requests, { runner, signal, toStart: fromStartMessage }),
    ),
  };
}

function fromStartMessage(message: StartRunRequest__Output): StartRunRequest {
  const { session, requestJson, policy, idempotencyKey, streamKey, timeout, runId } = message;
  return {
    runId,
    session: fromSessionKey(session),
    request: fromJsonBytes<RunRequest>(requestJson, "The run's request"),
    policy: policy !== UNSPECIFIED ? fromPolicyMessage(policy) : undefined,
    idempotencyKey,
    streamKey,
    timeoutMs: timeout ? fromTimestamp(timeout) : undefined,
  };
}

/** Upper bound for the size of a record without its request. */
const ANSWER_BYTES = 4096;
const UNSPECIFIED = "CONCURRENCY_POLICY_UNSPECIFIED";
