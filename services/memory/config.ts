import { memoryStoreConfigSchema } from "#shared/memory-store.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/service-settings.ts";
import { dataDirConfigSchema, firestoreConfigSchema } from "#shared/storage-settings.ts";
import { Type } from "#shared/type.ts";

/** All settings of the memory service. */
export const memoryConfigSchema = Type.Object({
  ...memoryStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("memory"),
});
