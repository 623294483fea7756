import { gatewayConfigSchema } from "#services/gateway/config.ts";
import { runnerConfigSchema } from "#services/runner/config.ts";
import { agentsConfigSchema } from "#shared/agents-settings.ts";
import { artifactStoreConfigSchema } from "#shared/artifact-store.ts";
import type { ConfigOf } from "#shared/config-schema.ts";
import { evalStoreConfigSchema } from "#shared/eval-store.ts";
import { memoryStoreConfigSchema } from "#shared/memory-store.ts";
import { otlpConfigSchema } from "#shared/otlp-settings.ts";
import { processConfigSchema } from "#shared/process-settings.ts";
import { redisConfigSchema } from "#shared/redis-settings.ts";
import { runStreamConfigSchema } from "#shared/run-transport.ts";
import { sessionStoreConfigSchema } from "#shared/session-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema, gcsConfigSchema } from "#shared/storage-settings.ts";
import { Type } from "#shared/type.ts";
import { errorDetailConfigSchema } from "./error-detail.ts";

/** All settings of the server in one process. */
export const standaloneConfigSchema = Type.Object({
  ...gatewayConfigSchema.properties,
  ...agentsConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...sessionStoreConfigSchema.properties,
  ...artifactStoreConfigSchema.properties,
  ...memoryStoreConfigSchema.properties,
  ...evalStoreConfigSchema.properties,
  ...runStreamConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...gcsConfigSchema.properties,
  ...redisConfigSchema.properties,
  ...runnerConfigSchema.properties,
  ...processConfigSchema.properties,
  ...otlpConfigSchema.properties,
  ...errorDetailConfigSchema.properties,
});

export type StandaloneConfig = ConfigOf<typeof standaloneConfigSchema>;
