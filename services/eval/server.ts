import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { EvalStore } from "#kit/evaluation/eval-store.ts";
import type { MeteredStore } from "#kit/storage/metered-amounts.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { evalHandlers } from "./handlers.ts";
import { EVAL_OWNERS } from "./owners.ts";

export interface EvalServerDeps extends GrpcHandlersOptions, Omit<GrpcServerOptions, "services"> {
  readonly evaluations: EvalStore & MeteredStore;
}

/** The gRPC server of a store of evaluations. */
export function createEvalServer(deps: EvalServerDeps): GrpcServer {
  const { service } = loadProto("eval").fairlead.eval.v1.EvalService;
  const handlers = evalHandlers(
    deps.evaluations,
    new GrpcHandlers({ ...deps, owners: ownerRules(service, EVAL_OWNERS) }),
  );
  return new GrpcServer({ ...deps, services: [{ definition: service, handlers }] });
}
