import { Type } from "#kit/schema/shape.ts";
import { grpcConfigSchema, serviceSettings } from "#shared/process/service-settings.ts";
import { quotaConfigSchema } from "#shared/quota/quota-settings.ts";
import { contentConfigSchema, credentialKeysConfigSchema } from "#shared/stores/content-settings.ts";
import { credentialStoreConfigSchema } from "#shared/stores/credential-store.ts";
import { sessionLimitsConfigSchema } from "#shared/stores/session-limits.ts";
import { sessionStoreConfigSchema } from "#shared/stores/session-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema, postgresConfigSchema } from "#shared/stores/storage-settings.ts";
import { vertexConfigSchema } from "#shared/stores/vertex-settings.ts";

/** All settings of the session service. */
export const sessionConfigSchema = Type.Object({
  ...sessionStoreConfigSchema.properties,
  ...sessionLimitsConfigSchema.properties,
  ...credentialStoreConfigSchema.properties,
  ...credentialKeysConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...contentConfigSchema.properties,
  QUOTAS_FILE: quotaConfigSchema.properties.QUOTAS_FILE,
  ...firestoreConfigSchema.properties,
  ...postgresConfigSchema.properties,
  ...vertexConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("session"),
});
