import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import {
  checkOptions,
  clock,
  flag,
  ids,
  integer,
  matching,
  type OptionRules,
  record,
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
import { createS3ArtifactService, type S3Credentials } from "./create-s3-artifact-service.ts";

/** Options of `openS3Artifacts`. */
export interface S3ArtifactsOptions extends ClockAndIdsOptions {
  /** The bucket, which must exist. */
  readonly bucket: string;
  /** The URL of a server of the S3 protocol, such as `https://minio.example:9000`; AWS by default. */
  readonly endpoint?: string | undefined;
  /** The region of the bucket; `us-east-1` by default. */
  readonly region?: string | undefined;
  /** Whether the bucket stands in the path of URLs, as most servers other than AWS want it; false by default. */
  readonly pathStyle?: boolean | undefined;
  /** The keys of an account; by default what the SDK finds: variables, files, or the role of the machine or pod. */
  readonly credentials?: S3Credentials | undefined;
  /** The id of the key in AWS KMS that encrypts objects at rest; by default the bucket's own setting applies. */
  readonly kmsKeyId?: string | undefined;
  /** Encrypts artifacts with a key for each tenant before they are sent; they are stored as they are by default. */
  readonly keyProvider?: KeyProvider | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
  /** The time limit of one call, in milliseconds; 30,000 by default. */
  readonly deadlineMs?: number | undefined;
}

/** Artifacts in a bucket of an S3 server. Disposing closes the connections. */
export interface S3Artifacts extends AsyncDisposable {
  readonly artifactService: ArtifactService;
}

const RULES: OptionRules<S3ArtifactsOptions> = {
  bucket: required(text),
  endpoint: matching("an http:// or https:// URL", /^https?:\/\/[^\s/]/),
  region: text,
  pathStyle: flag,
  credentials: record<S3Credentials>({
    accessKeyId: required(text),
    secretAccessKey: required(text),
    sessionToken: text,
  }),
  kmsKeyId: text,
  keyProvider: KEY_PROVIDER_RULE,
  storage: STORAGE_LIMITS_RULE,
  deadlineMs: integer(1, " milliseconds"),
  clock,
  ids,
};

export async function openS3Artifacts(options: S3ArtifactsOptions): Promise<S3Artifacts> {
  checkOptions("openS3Artifacts", options, RULES);
  const { bucket, endpoint, region = "us-east-1", pathStyle, credentials, kmsKeyId, deadlineMs } = options;
  const sources = completeClockAndIds(options);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const opened = createS3ArtifactService({
    ...{ bucket, endpoint, region, pathStyle, credentials, kmsKeyId, deadlineMs },
    sealer: content?.sealer,
    storage: meteredLimits(options.storage, "artifacts"),
    setting: "endpoint",
    ...sources,
  });
  await opened.start();
  return {
    artifactService: content?.withKeys(opened.service) ?? opened.service,
    [Symbol.asyncDispose]: async () => opened[Symbol.dispose](),
  };
}
