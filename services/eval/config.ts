import { Type } from "#kit/schema/shape.ts";
import { runTimeoutConfigSchema } from "#shared/process/run-timeout.ts";
import { addressOf, callerConfigSchema, grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { evalStoreConfigSchema } from "#shared/stores/eval-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema, postgresConfigSchema } from "#shared/stores/storage-settings.ts";
import { redisConfigSchema } from "#shared/transport/redis-settings.ts";
import { sharedTransportConfigSchema } from "#shared/transport/run-transport.ts";
import { evalWorkerConfigSchema } from "./jobs/worker-settings.ts";

const { REDIS_URL, ...REDIS_SETTINGS } = redisConfigSchema.properties;

/** All settings of the evaluation service. */
export const evalConfigSchema = Type.Object({
  ...evalStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...postgresConfigSchema.properties,
  ...quotaConfigSchema.properties,
  ...sharedTransportConfigSchema.properties,
  // Needed only where judges have quotas.
  REDIS_URL: { ...REDIS_URL, neededBy: {} },
  ...REDIS_SETTINGS,
  ...evalWorkerConfigSchema.properties,
  ...runTimeoutConfigSchema.properties,
  SESSION_SERVICE_ADDRESS: addressOf("session"),
  RUNNER_SERVICE_ADDRESS: addressOf("runner"),
  ARTIFACT_SERVICE_ADDRESS: addressOf("artifact"),
  ...callerConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("eval"),
});
