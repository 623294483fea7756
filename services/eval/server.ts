import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { EvalJobs } from "#ports/evaluation-jobs/eval-jobs.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { answerBounds } from "#shared/grpc/answer-bounds.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { EVAL_ANSWERS } from "./answers.ts";
import { storeHandlers } from "./handlers.ts";
import { jobHandlers } from "./job-handlers.ts";
import { EVAL_OWNERS } from "./owners.ts";

export interface EvalServerDeps extends GrpcHandlersOptions, Omit<GrpcServerOptions, "services" | "bounds"> {
  readonly evaluations: EvalStore & MeteredStore;
  readonly jobs: EvalJobs;
}

/** The gRPC server of evaluations: their sets and results, and the jobs that run them. */
export function createEvalServer(deps: EvalServerDeps): GrpcServer {
  const { service } = loadProto("eval").fairlead.eval.v1.EvalService;
  const owners = ownerRules(service, EVAL_OWNERS);
  const bounds = answerBounds(service, EVAL_ANSWERS);
  const handlers = new GrpcHandlers({ ...deps, owners });
  const implementation = { ...storeHandlers(deps.evaluations, handlers), ...jobHandlers(deps.jobs, handlers) };
  return new GrpcServer({ ...deps, bounds, owners, services: [{ definition: service, handlers: implementation }] });
}
