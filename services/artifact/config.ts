import { Type } from "#kit/schema/shape.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { artifactStoreConfigSchema } from "#shared/stores/artifact-store.ts";
import { contentConfigSchema } from "#shared/stores/content-settings.ts";
import {
  azureConfigSchema,
  dataDirConfigSchema,
  gcsConfigSchema,
  s3ConfigSchema,
} from "#shared/stores/storage-settings.ts";

/** All settings of the artifact service. */
export const artifactConfigSchema = Type.Object({
  ...artifactStoreConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...contentConfigSchema.properties,
  ...gcsConfigSchema.properties,
  ...azureConfigSchema.properties,
  ...s3ConfigSchema.properties,
  QUOTAS_FILE: quotaConfigSchema.properties.QUOTAS_FILE,
  ...grpcConfigSchema.properties,
  ...serviceSettings("artifact"),
});
