import type { Bucket } from "@google-cloud/storage";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { withinTime } from "#kit/outbound-http/within-time.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { QueuedRow, Upload } from "#kit/plugins/analytics/analytics-row.ts";
import { connectionOptions, type ServiceAccountKey } from "./google-auth.ts";

/** Uploads that run at the same time. */
const CONCURRENCY = 4;
const UPLOAD_FAILED = "[UPLOAD FAILED]";

export interface ObjectUploadsOptions {
  readonly bucket: string;
  readonly projectId: string;
  readonly credentials: ServiceAccountKey | undefined;
  /** The URL of Cloud Storage, for emulators and private endpoints. */
  readonly endpoint: string | undefined;
  /** Longest time for one upload. */
  readonly timeoutMs: number;
}

/** Moves large contents of rows to a bucket. A row whose content cannot be moved is written without it. */
export class ObjectUploads {
  /** Contents that could not be uploaded. */
  lost = 0;
  readonly #options: ObjectUploadsOptions;
  readonly #bucket = lazy(() => this.#open());
  readonly #done = new WeakSet<Upload>();

  constructor(options: ObjectUploadsOptions) {
    this.#options = options;
  }

  /** Uploads what the rows refer to, once for each batch however often it is sent. */
  async upload(batch: readonly QueuedRow[]): Promise<void> {
    const waiting = batch.flatMap(({ uploads }) => uploads).filter((upload) => !this.#done.has(upload));
    if (waiting.length === 0) return;
    const rest = waiting.values();
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work(rest)));
  }

  async #work(waiting: Iterable<Upload>): Promise<void> {
    for (const upload of waiting) {
      this.#done.add(upload);
      const { part, object, data } = upload;
      try {
        const bucket = await this.#bucket();
        const saved = bucket.file(object).save(Buffer.from(data), { contentType: part.mime_type, resumable: false });
        await withinTime(saved, this.#options.timeoutMs, "Cloud Storage");
      } catch {
        this.lost += 1;
        part.text = UPLOAD_FAILED;
        part.storage_mode = "INLINE";
        delete part.uri;
        delete part.object_ref;
      }
    }
  }

  async #open(): Promise<Bucket> {
    const { bucket, projectId, credentials, endpoint } = this.#options;
    const { Storage } = await importOptional({
      name: "@google-cloud/storage",
      user: "Analytics with a bucket",
      load: () => import("@google-cloud/storage"),
    });
    const storage = new Storage({ projectId, ...(await connectionOptions(endpoint, credentials)) });
    return storage.bucket(bucket);
  }
}
