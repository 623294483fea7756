import { S3Client } from "@aws-sdk/client-s3";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { BucketArtifactService } from "#ports/artifacts/bucket/bucket-artifact-service.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { S3Objects, type S3ObjectsOptions } from "./s3-objects.ts";

export interface S3ArtifactServiceSettings
  extends Pick<S3ObjectsOptions, "kmsKeyId" | "deadlineMs" | "pageSize" | "sleep"> {
  /** The bucket must exist. */
  readonly bucket: string;
  /** The server's URL; by default AWS in the region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Whether the bucket stands in the path of the URL and not in its host name. */
  readonly pathStyle?: boolean | undefined;
  /** Keys of an account; by default those that the SDK finds in the environment. */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>) | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
  /** The name of the setting with the server's URL, for errors. */
  readonly setting: string;
}

/** The keys of an account. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface OpenedS3Artifacts extends Disposable {
  readonly service: BucketArtifactService;
  /**
   * Throws `CONFIGURATION` if the server ignores the conditions of writes, and closes the connections. If the server
   * cannot be asked now, the first write asks it.
   */
  readonly start: () => Promise<void>;
}

/** Some servers allow more than AWS, which has lower case and no underscores. */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
/** A server in the next room answers in milliseconds, one on another continent in less than a second. */
const CONNECT_MS = 5_000;

/** Connects on the first request. Disposing closes idle connections. */
export function createS3ArtifactService(settings: S3ArtifactServiceSettings): OpenedS3Artifacts {
  const { bucket, endpoint, region, clock, ids, sealer, storage, setting } = settings;
  if (!BUCKET_NAME.test(bucket))
    throw new PlatformError("CONFIGURATION", "The name of the artifact bucket is not a valid name for an S3 bucket.");
  const client = createClient(settings);
  const { kmsKeyId, deadlineMs, pageSize, sleep } = settings;
  const objects = new S3Objects({
    ...{ client, bucket, kmsKeyId, deadlineMs, pageSize, sleep, setting },
    isCounted: storage !== undefined,
    server: endpoint ?? `AWS in ${region}`,
  });
  return {
    service: new BucketArtifactService({ objects, clock, ids, sealer, storage }),
    start: () => startWith(objects, client),
    [Symbol.dispose]: () => client.destroy(),
  };
}

async function startWith(objects: S3Objects, client: S3Client): Promise<void> {
  try {
    await objects.ready();
  } catch (error) {
    if (error instanceof PlatformError && error.reason === "STORE_UNAVAILABLE") return;
    client.destroy();
    throw error;
  }
}

function createClient({ endpoint, region, pathStyle, credentials }: S3ArtifactServiceSettings): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: pathStyle ?? false,
    // S3Objects repeats requests itself, within one deadline.
    maxAttempts: 1,
    // Many servers refuse the checksums that the SDK adds by default; each upload has its MD5.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_MS },
  });
}
