import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { answerBounds } from "#shared/grpc/answer-bounds.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { ARTIFACT_ANSWERS } from "./answers.ts";
import { artifactHandlers } from "./handlers.ts";
import { ARTIFACT_OWNERS } from "./owners.ts";

export interface ArtifactServerDeps extends GrpcHandlersOptions, Omit<GrpcServerOptions, "services" | "bounds"> {
  readonly artifacts: ArtifactService & MeteredStore;
}

/** The gRPC server of an artifact store. */
export function createArtifactServer(deps: ArtifactServerDeps): GrpcServer {
  const { service } = loadProto("artifact").fairlead.artifact.v1.ArtifactService;
  const owners = ownerRules(service, ARTIFACT_OWNERS);
  const bounds = answerBounds(service, ARTIFACT_ANSWERS);
  const handlers = artifactHandlers(deps.artifacts, new GrpcHandlers({ ...deps, owners }));
  return new GrpcServer({ ...deps, bounds, owners, services: [{ definition: service, handlers }] });
}
