import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { answerBounds } from "#shared/grpc/answer-bounds.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { MEMORY_ANSWERS } from "./answers.ts";
import { memoryHandlers } from "./handlers.ts";
import { MEMORY_OWNERS } from "./owners.ts";

export interface MemoryServerDeps extends GrpcHandlersOptions, Omit<GrpcServerOptions, "services" | "bounds"> {
  readonly memory: MemoryService & MeteredStore;
}

/** The gRPC server of a memory service. */
export function createMemoryServer(deps: MemoryServerDeps): GrpcServer {
  const { service } = loadProto("memory").fairlead.memory.v1.MemoryService;
  const owners = ownerRules(service, MEMORY_OWNERS);
  const bounds = answerBounds(service, MEMORY_ANSWERS);
  const handlers = memoryHandlers(deps.memory, new GrpcHandlers({ ...deps, owners }));
  return new GrpcServer({ ...deps, bounds, owners, services: [{ definition: service, handlers }] });
}
