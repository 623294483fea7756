import { grpcConfigSchema, serviceSettings } from "#shared/service-settings.ts";
import { sessionLimitsConfigSchema } from "#shared/session-limits.ts";
import { sessionStoreConfigSchema } from "#shared/session-store.ts";
import { dataDirConfigSchema, firestoreConfigSchema } from "#shared/storage-settings.ts";
import { Type } from "#shared/type.ts";

/** All settings of the session service. */
export const sessionConfigSchema = Type.Object({
  ...sessionStoreConfigSchema.properties,
  ...sessionLimitsConfigSchema.properties,
  ...dataDirConfigSchema.properties,
  ...firestoreConfigSchema.properties,
  ...grpcConfigSchema.properties,
  ...serviceSettings("session"),
});
