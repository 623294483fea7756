import { Type } from "#kit/schema/shape.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { contentConfigSchema } from "#shared/stores/content-settings.ts";
import { memoryStoreConfigSchema } from "#shared/stores/memory-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema, postgresConfigSchema } from "#shared/stores/storage-settings.ts";
import { vertexConfigSchema } from "#shared/stores/vertex-settings.ts";

/** All settings of the memory service. */
export const memoryConfigSchema = Type.Object({
  ...memoryStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...contentConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...postgresConfigSchema.properties,
  ...vertexConfigSchema.properties,
  QUOTAS_FILE: quotaConfigSchema.properties.QUOTAS_FILE,
  ...grpcConfigSchema.properties,
  ...serviceSettings("memory"),
});
