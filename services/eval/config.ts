import { Type } from "#kit/schema/shape.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { evalStoreConfigSchema } from "#shared/stores/eval-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema } from "#shared/stores/storage-settings.ts";

/** All settings of the evaluation service. */
export const evalConfigSchema = Type.Object({
  ...evalStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  QUOTAS_FILE: quotaConfigSchema.properties.QUOTAS_FILE,
  ...grpcConfigSchema.properties,
  ...serviceSettings("eval"),
});
