import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { RunnerService } from "#ports/runs/runner-service.ts";
import type { RunnerServiceDefinition } from "#proto/fairlead/runner/v1/RunnerService.ts";
import { type AnswerBounds, answerBounds } from "#shared/grpc/answer-bounds.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { type OwnerRules, ownerRules } from "#shared/security/owner-rules.ts";
import { runnerHandlers } from "./runner-handlers.ts";

export interface RunnerServerDeps
  extends GrpcHandlersOptions,
    Omit<GrpcServerOptions, "services" | "bounds" | "endLongCalls"> {
  readonly runner: RunnerService & LiveRunnerService;
}

/** The gRPC server of a runner. */
export function createRunnerServer(deps: RunnerServerDeps): GrpcServer {
  const stopping = new AbortController();
  const { service } = loadProto("runner").fairlead.runner.v1.RunnerService;
  const owners = ownerRules(service, RUNNER_OWNERS);
  const handlers = runnerHandlers(deps.runner, new GrpcHandlers({ ...deps, owners, passesOn: true }), stopping.signal);
  return new GrpcServer({
    ...deps,
    bounds: answerBounds(service, RUNNER_ANSWERS),
    owners,
    endLongCalls: () => stopping.abort(),
    services: [{ definition: service, handlers }],
  });
}

/** How a runner's answers are bounded: by the run that the caller itself has sent, and by the agents of the operator. */
export const RUNNER_ANSWERS: AnswerBounds<RunnerServiceDefinition> = {
  StartRun: "of-a-run",
  StartPipe: "of-a-run",
  CancelRun: "of-a-run",
  ListApps: "of-the-operator",
  DescribeApp: "of-the-operator",
  RunLive: "of-a-run",
};

/**
 * The owners of the requested runs. A run that is named only by its id is checked by the journal, in the caller's name.
 */
export const RUNNER_OWNERS: OwnerRules<RunnerServiceDefinition> = {
  StartRun: ({ session }) => session ?? undefined,
  StartPipe: "by-handler",
  CancelRun: "by-handler",
  ListApps: "no-user",
  DescribeApp: "no-user",
  RunLive: ({ start }) => start?.start?.session ?? undefined,
};
