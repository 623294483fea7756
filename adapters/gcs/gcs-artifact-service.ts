import type { ArtifactKey } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import {
  BucketArtifactService,
  type BucketArtifactServiceOptions,
} from "#ports/artifacts/bucket/bucket-artifact-service.ts";
import type { GcsObjects } from "./gcs-objects.ts";

export interface GcsArtifactServiceOptions extends BucketArtifactServiceOptions {
  readonly objects: GcsObjects;
}

/** Cloud Storage signs URLs for at most seven days. */
const MAX_SIGNED_URL_MS = 7 * 24 * 60 * 60 * 1000;

/** Artifacts in a bucket of Cloud Storage. */
export class GcsArtifactService extends BucketArtifactService {
  readonly #objects: GcsObjects;
  readonly #clock: GcsArtifactServiceOptions["clock"];

  constructor(options: GcsArtifactServiceOptions) {
    super(options);
    this.#objects = options.objects;
    this.#clock = options.clock;
  }

  /**
   * A URL from which the version's bytes can be downloaded without this server until it expires; undefined if the
   * version does not exist or is encrypted. Needs credentials that can sign. Everyone with the URL can read the file: pass it only to
   * its user.
   */
  async createSignedUrl(
    key: ArtifactKey,
    { version, expiresInMs }: { readonly version?: number; readonly expiresInMs: number },
  ): Promise<string | undefined> {
    if (!(expiresInMs > 0 && expiresInMs <= MAX_SIGNED_URL_MS)) {
      throw new PlatformError("INVALID_FIELD", "expiresInMs must be over 0 and at most seven days.", {
        details: { field: "expiresInMs" },
      });
    }
    const name = await this.plainObject(key, version);
    if (name === undefined) return undefined;
    return this.#objects.signedUrl({ name, now: this.#clock.now(), expiresInMs, filename: key.filename });
  }
}
