import { evalStoreConfigSchema } from "#shared/eval-store.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/service-settings.ts";
import { dataDirConfigSchema, firestoreConfigSchema } from "#shared/storage-settings.ts";
import { Type } from "#shared/type.ts";

/** All settings of the evaluation service. */
export const evalConfigSchema = Type.Object({
  ...evalStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("eval"),
});
