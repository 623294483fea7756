import { artifactStoreConfigSchema } from "#shared/artifact-store.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/service-settings.ts";
import { dataDirConfigSchema, gcsConfigSchema } from "#shared/storage-settings.ts";
import { Type } from "#shared/type.ts";

/** All settings of the artifact service. */
export const artifactConfigSchema = Type.Object({
  ...artifactStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...gcsConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("artifact"),
});
