import { Type } from "#kit/schema/shape.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { artifactStoreConfigSchema } from "#shared/stores/artifact-store.ts";
import { contentConfigSchema } from "#shared/stores/content-settings.ts";
import { dataDirConfigSchema, gcsConfigSchema } from "#shared/stores/storage-settings.ts";

/** All settings of the artifact service. */
export const artifactConfigSchema = Type.Object({
  ...artifactStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...contentConfigSchema.properties,
  ...gcsConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("artifact"),
});
