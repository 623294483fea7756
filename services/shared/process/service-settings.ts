import { Type } from "#kit/schema/shape.ts";
import { answerConfigSchema } from "../answers/answer-settings.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { otlpConfigSchema } from "../otlp/otlp-settings.ts";
import type { ServiceName } from "../security/call-graph.ts";
import { type KeyFiles, keySettings, securityConfigSchema } from "../security/security-settings.ts";
import { processConfigSchema } from "./process-settings.ts";

/** Settings of each process of the platform. */
const serviceConfigSchema = Type.Object({
  ...processConfigSchema.properties,
  ...otlpConfigSchema.properties,
  ...securityConfigSchema.properties,
  PEER_CHECK_MS: Type.Integer({
    default: 2000,
    minimum: 100,
    description: "How often the services and stores that this process needs are checked, in ms.",
  }),
});

export type ServiceConfig = ConfigOf<typeof serviceConfigSchema> & KeyFiles;

/** The settings of each process of the platform, with the files of the keys that the service has. */
export function serviceSettings(name: ServiceName): typeof serviceConfigSchema.properties {
  const description = "Name of this service in traces.";
  return {
    ...serviceConfigSchema.properties,
    ...keySettings(name),
    OTEL_SERVICE_NAME: Type.String({ default: `fairlead-${name}`, description }),
  };
}

/** Settings of a service that answers gRPC. */
export const grpcConfigSchema = Type.Object({
  ...answerConfigSchema.properties,
  GRPC_PORT: Type.Integer({
    default: 50051,
    minimum: 0,
    maximum: 65535,
    description: "Port for calls of other services; 0 picks a free one.",
  }),
  GRPC_MAX_CONNECTION_AGE_MS: Type.Integer({
    default: 300_000,
    minimum: 0,
    description: "Time after which callers reconnect and so find new replicas, in ms; 0 for never.",
  }),
  ADMIN_HOST: Type.String({ default: "127.0.0.1", description: "Address of /health, /ready and /metrics." }),
  ADMIN_PORT: Type.Integer({
    default: 9090,
    minimum: 0,
    maximum: 65535,
    description: "Port of /health, /ready and /metrics; 0 picks a free one.",
  }),
});

export type GrpcConfig = ConfigOf<typeof grpcConfigSchema>;

/** Settings of a process that calls other services. */
export const callerConfigSchema = Type.Object({
  CALL_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: "How long a call of another service may take, in ms.",
  }),
});

export type CallerConfig = ConfigOf<typeof callerConfigSchema>;

/** The setting of a service's address: `SESSION_SERVICE_ADDRESS` and so on. */
export function addressOf(service: string) {
  return Type.String({
    description: `gRPC target of the ${service} service, such as dns:///${service}:50051 or 127.0.0.1:50051.`,
  });
}
