import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import {
  checkOptions,
  clock,
  ids,
  integer,
  matching,
  type OptionRules,
  oneOf,
  required,
  text,
} from "#kit/schema/check-options.ts";
import { encryptionWith, KEY_PROVIDER_RULE } from "#ports/encryption/given-key-provider.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import {
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";
import { createGcsArtifactService } from "./create-gcs-artifact-service.ts";

/** Options of `openCloudStorageArtifacts`. */
export interface CloudStorageArtifactsOptions extends ClockAndIdsOptions {
  /** The bucket, which must exist. */
  readonly bucket: string;
  /** How objects are named: `fairlead` by default, or `adk` to continue the bucket of another ADK server. */
  readonly layout?: "fairlead" | "adk" | undefined;
  /** The Google Cloud project; by default that of the credentials. */
  readonly projectId?: string | undefined;
  /** The URL of an emulator or a private endpoint; requests to it contain no credentials. */
  readonly apiEndpoint?: string | undefined;
  /**
   * Encrypts artifacts with a key for each tenant, which other ADK servers cannot read; they are stored as they are by
   * default.
   */
  readonly keyProvider?: KeyProvider | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
  /** The time limit of one call, in milliseconds; 30,000 by default. */
  readonly deadlineMs?: number | undefined;
}

/** Artifacts in Cloud Storage. Nothing needs to be closed; disposing does nothing. */
export interface CloudStorageArtifacts extends AsyncDisposable {
  readonly artifactService: ArtifactService;
}

const RULES: OptionRules<CloudStorageArtifactsOptions> = {
  bucket: required(text),
  layout: oneOf("fairlead", "adk"),
  projectId: text,
  apiEndpoint: matching("an http:// or https:// URL", /^https?:\/\/[^\s/]/),
  keyProvider: KEY_PROVIDER_RULE,
  storage: STORAGE_LIMITS_RULE,
  deadlineMs: integer(1, " milliseconds"),
  clock,
  ids,
};

export function openCloudStorageArtifacts(options: CloudStorageArtifactsOptions): CloudStorageArtifacts {
  checkOptions("openCloudStorageArtifacts", options, RULES);
  const { bucket, layout, projectId, apiEndpoint, deadlineMs } = options;
  const sources = completeClockAndIds(options);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const artifacts = createGcsArtifactService({
    bucketName: bucket,
    layout,
    projectId,
    apiEndpoint,
    deadlineMs,
    sealer: content?.sealer,
    storage: meteredLimits(options.storage, "artifacts"),
    ...sources,
  });
  return { artifactService: content?.withKeys(artifacts) ?? artifacts, [Symbol.asyncDispose]: async () => {} };
}
