import { IdempotencyStrategy, Storage, type StorageOptions } from "@google-cloud/storage";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { fairleadLayout } from "#ports/artifacts/bucket/artifact-layout.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { adkLayout } from "./adk-layout.ts";
import { GcsArtifactService } from "./gcs-artifact-service.ts";
import { GcsObjects, type GcsObjectsOptions } from "./gcs-objects.ts";

export interface GcsArtifactServiceSettings extends Pick<GcsObjectsOptions, "deadlineMs" | "pageSize" | "sleep"> {
  /** The bucket must exist. */
  readonly bucketName: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The naming of objects: the kit's own, or that of other ADK servers, to use an existing bucket of such a server. */
  readonly layout?: "fairlead" | "adk" | undefined;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
  /** The address of an emulator or a private endpoint; requests to it contain no credentials. */
  readonly apiEndpoint?: string | undefined;
  readonly projectId?: string | undefined;
}

const LAYOUTS = { fairlead: fairleadLayout, adk: adkLayout };
/** Cloud Storage's own rule, except for the parts of domain names. */
const BUCKET_NAME = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

/** Connects on the first request, with the credentials of the environment (workload identity, or a key file). */
export function createGcsArtifactService(settings: GcsArtifactServiceSettings): GcsArtifactService {
  const { bucketName, clock, ids, layout = "fairlead", sealer, storage, deadlineMs, pageSize, sleep } = settings;
  if (!BUCKET_NAME.test(bucketName)) {
    throw new PlatformError(
      "CONFIGURATION",
      "The name of the artifact bucket is not a valid name for a Cloud Storage bucket.",
    );
  }
  const objects = new GcsObjects({
    bucket: createStorage(settings, { autoRetry: false }).bucket(bucketName),
    // Every request of GcsObjects may be repeated.
    resumingBucket: createStorage(settings, { idempotencyStrategy: IdempotencyStrategy.RetryAlways }).bucket(
      bucketName,
    ),
    deadlineMs,
    pageSize,
    sleep,
  });
  return new GcsArtifactService({ objects, clock, ids, layout: LAYOUTS[layout], sealer, storage });
}

function createStorage(
  { apiEndpoint, projectId }: GcsArtifactServiceSettings,
  retryOptions: NonNullable<StorageOptions["retryOptions"]>,
): Storage {
  const storage = new Storage({
    apiEndpoint,
    projectId,
    retryOptions,
  });
  // If STORAGE_EMULATOR_HOST is set, this library omits the path, unlike those for other languages.
  storage.baseUrl = `${storage.apiEndpoint}/storage/v1`;
  return storage;
}
