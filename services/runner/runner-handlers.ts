import { fromJsonBytes, fromSessionKey, fromTimestamp, toJsonBytes } from "#adapters/grpc/messages.ts";
import { fromPolicyMessage, toRunMessage } from "#adapters/grpc/run-messages.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunnerService, StartRunRequest } from "#kit/runner/runner-service.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import type { RunnerServiceHandlers } from "#proto/agentplane/runner/v1/RunnerService.ts";
import type { StartRunRequest__Output } from "#proto/agentplane/runner/v1/StartRunRequest.ts";
import type { GrpcHandlers } from "#shared/grpc-handlers.ts";

/** Answers the calls of the runner's service from any `RunnerService`. */
export function runnerHandlers(runner: RunnerService, handlers: GrpcHandlers): RunnerServiceHandlers {
  return {
    StartRun: handlers.unary(async (request) => ({
      run: toRunMessage(await runner.startRun(fromStartMessage(request))),
    })),
    CancelRun: handlers.unary(async ({ runId }) => ({ run: toRunMessage(await runner.cancelRun(runId)) })),
    ListApps: handlers.unary(async () => ({ appNames: [...(await runner.listApps())] })),
    DescribeApp: handlers.unary(async ({ appName }) => ({ appJson: toJsonBytes(await runner.describeApp(appName)) })),
    RunLive: handlers.bidi(async function* () {
      throw new PlatformError("NOT_IMPLEMENTED", "This runner has no live mode.");
    }),
  };
}

function fromStartMessage(message: StartRunRequest__Output): StartRunRequest {
  const { session, requestJson, policy, idempotencyKey, timeout } = message;
  return {
    session: fromSessionKey(session),
    request: fromJsonBytes<RunRequest>(requestJson, "The run's request"),
    ...(policy !== UNSPECIFIED && { policy: fromPolicyMessage(policy) }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(timeout && { timeoutMs: fromTimestamp(timeout) }),
  };
}

const UNSPECIFIED = "CONCURRENCY_POLICY_UNSPECIFIED";
