import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { RunnerService } from "#kit/runs/runner-service.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { RUNNER_OWNERS } from "./owners.ts";
import { runnerHandlers } from "./runner-handlers.ts";

export interface RunnerServerDeps extends GrpcHandlersOptions, Omit<GrpcServerOptions, "services" | "endLongCalls"> {
  readonly runner: RunnerService;
}

/** The gRPC server of a runner. */
export function createRunnerServer(deps: RunnerServerDeps): GrpcServer {
  const stopping = new AbortController();
  const { service } = loadProto("runner").fairlead.runner.v1.RunnerService;
  const handlers = runnerHandlers(
    deps.runner,
    new GrpcHandlers({ ...deps, owners: ownerRules(service, RUNNER_OWNERS), passesOn: true }),
    stopping.signal,
  );
  return new GrpcServer({
    ...deps,
    endLongCalls: () => stopping.abort(),
    services: [{ definition: service, handlers }],
  });
}
