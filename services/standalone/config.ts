import { Type } from "#kit/schema/shape.ts";
import { evalWorkerConfigSchema } from "#services/eval/jobs/worker-settings.ts";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { agentsConfigSchema } from "#shared/agents/agents-settings.ts";
import { auditConfigSchema } from "#shared/audit/audit-settings.ts";
import type { ConfigOf } from "#shared/config/config-schema.ts";
import { otlpConfigSchema } from "#shared/otlp/otlp-settings.ts";
import { processConfigSchema } from "#shared/process/process-settings.ts";
import { artifactStoreConfigSchema } from "#shared/stores/artifact-store.ts";
import { contentConfigSchema, credentialKeysConfigSchema } from "#shared/stores/content-settings.ts";
import { credentialStoreConfigSchema } from "#shared/stores/credential-store.ts";
import { evalStoreConfigSchema } from "#shared/stores/eval-store.ts";
import { keyStoreConfigSchema } from "#shared/stores/key-store.ts";
import { memoryStoreConfigSchema } from "#shared/stores/memory-store.ts";
import { sessionStoreConfigSchema } from "#shared/stores/session-store.ts";
import {
  azureConfigSchema,
  dataDirConfigSchema,
  firestoreConfigSchema,
  gcsConfigSchema,
  postgresConfigSchema,
  s3ConfigSchema,
} from "#shared/stores/storage-settings.ts";
import { vertexConfigSchema } from "#shared/stores/vertex-settings.ts";
import { redisConfigSchema } from "#shared/transport/redis-settings.ts";
import { transportConfigSchema } from "#shared/transport/run-transport.ts";
import { errorDetailConfigSchema } from "./error-detail.ts";

/** All settings of the server in one process. */
export const standaloneConfigSchema = Type.Object({
  ...gatewayConfigSchema.properties,
  ...agentsConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...contentConfigSchema.properties,
  ...sessionStoreConfigSchema.properties,
  ...artifactStoreConfigSchema.properties,
  ...memoryStoreConfigSchema.properties,
  ...evalStoreConfigSchema.properties,
  ...credentialStoreConfigSchema.properties,
  ...credentialKeysConfigSchema.properties,
  ...evalWorkerConfigSchema.properties,
  ...keyStoreConfigSchema.properties,
  ...transportConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...postgresConfigSchema.properties,
  ...vertexConfigSchema.properties,
  ...gcsConfigSchema.properties,
  ...azureConfigSchema.properties,
  ...s3ConfigSchema.properties,
  ...redisConfigSchema.properties,
  ...runnerConfigSchema.properties,
  ...auditConfigSchema.properties,
  ...processConfigSchema.properties,
  ...otlpConfigSchema.properties,
  ...errorDetailConfigSchema.properties,
});

export type StandaloneConfig = ConfigOf<typeof standaloneConfigSchema>;
