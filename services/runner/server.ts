import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { RunnerService } from "#kit/runs/runner-service.ts";
import { answerBounds } from "#shared/grpc/answer-bounds.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { RUNNER_ANSWERS } from "./answers.ts";
import { RUNNER_OWNERS } from "./owners.ts";
import { runnerHandlers } from "./runner-handlers.ts";

export interface RunnerServerDeps
  extends GrpcHandlersOptions,
    Omit<GrpcServerOptions, "services" | "bounds" | "endLongCalls"> {
  readonly runner: RunnerService;
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
