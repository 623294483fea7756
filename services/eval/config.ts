import { Type } from "#kit/schema/shape.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { evalStoreConfigSchema } from "#shared/stores/eval-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema } from "#shared/stores/storage-settings.ts";

/** All settings of the evaluation service. */
export const evalConfigSchema = Type.Object({
  ...evalStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("eval"),
});
