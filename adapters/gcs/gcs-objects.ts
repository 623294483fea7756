import { addAbortSignal, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Bucket, GetFilesOptions, GetSignedUrlConfig } from "@google-cloud/storage";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { ObjectBucket, StoredObject, WriteObjectRequest } from "#ports/artifacts/bucket/object-bucket.ts";
import type { ObjectResource } from "#ports/artifacts/bucket/object-metadata.ts";
import { receiveBytes, repeatTransient, withDeadline } from "#ports/artifacts/bucket/repeat-requests.ts";
import { isNotFound, isPreconditionFailed, isTransient, toStoreError } from "./store-errors.ts";

export interface GcsObjectsOptions {
  /** A bucket of a client without retries: a client's own retries cannot be stopped. */
  readonly bucket: Bucket;
  /** The same bucket of a client with retries, for uploads that resume after the connection broke. */
  readonly resumingBucket: Bucket;
  /** The deadline of a request without a body, including retries, and of inactivity within one with a body. */
  readonly deadlineMs?: number | undefined;
  /** Objects on one page of a listing; the service returns at most 1,000. */
  readonly pageSize?: number | undefined;
  /** Waits before a request is repeated. */
  readonly sleep?: Sleep | undefined;
}

export interface SignedUrlRequest {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly expiresInMs: number;
  readonly filename: string;
}

/**
 * For uploads from this size on, a broken connection costs only the data not yet sent. Below it, the additional round
 * trip costs more.
 */
const RESUMABLE_UPLOAD_BYTES = 8 * 1024 * 1024;

const DEADLINE_MS = 30_000;
const PAGE_SIZE = 1_000;
/** The slowest connection on which a large upload can complete. */
const MIN_BYTES_PER_MS = 256;
const RESPONSE_LISTENERS = 32;
const LISTED_FIELDS = "name,generation,timeCreated,contentType";

/**
 * Objects of one bucket. Each request has a deadline, each failure is a `PlatformError`, and only requests that may be
 * sent twice are repeated: reads, deletes, and writes that name the generation they replace.
 */
export class GcsObjects implements ObjectBucket {
  readonly #bucket: Bucket;
  readonly #resumingBucket: Bucket;
  readonly #deadlineMs: number;
  readonly #pageSize: number;
  readonly #sleep: Sleep;

  constructor(options: GcsObjectsOptions) {
    this.#bucket = options.bucket;
    this.#resumingBucket = options.resumingBucket;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#pageSize = options.pageSize ?? PAGE_SIZE;
    this.#sleep = options.sleep ?? sleep;
  }

  async *list(
    prefix: string,
    { withMetadata = false, after }: { readonly withMetadata?: boolean; readonly after?: string | undefined } = {},
  ): AsyncGenerator<readonly ObjectResource[], void, undefined> {
    const fields = `items(${LISTED_FIELDS}${withMetadata ? ",size,metadata" : ""}),nextPageToken`;
    let query: GetFilesOptions | null = { prefix, fields, maxResults: this.#pageSize, autoPaginate: false };
    // The service begins with this name itself.
    if (after !== undefined) query.startOffset = after;
    while (query !== null) {
      const page: GetFilesOptions = query;
      const [items, next] = await this.#request(() => this.#bucket.getFiles(page)).catch(rethrowStoreError);
      // With `fields` the client returns the listed resources unchanged, and null after the last page.
      const listed = items as unknown as readonly ObjectResource[];
      yield after === undefined ? listed : listed.filter(({ name }) => name !== after);
      // The client returns the next query, and null after the last page.
      query = next as GetFilesOptions | null;
    }
  }

  async *folders(prefix: string): AsyncGenerator<string, void, undefined> {
    let query: GetFilesOptions | null = {
      ...{ prefix, delimiter: "/", fields: "prefixes,nextPageToken" },
      ...{ maxResults: this.#pageSize, autoPaginate: false },
    };
    while (query !== null) {
      const page: GetFilesOptions = query;
      const [, next, answer] = await this.#request(() => this.#bucket.getFiles(page)).catch(rethrowStoreError);
      // The client returns the service's answer unchanged.
      const { prefixes = [] } = (answer ?? {}) as { readonly prefixes?: readonly string[] };
      for (const folder of prefixes) yield folder.slice(prefix.length, -1);
      // The client returns the next query, and null after the last page.
      query = next as GetFilesOptions | null;
    }
  }

  async write(request: WriteObjectRequest): Promise<boolean> {
    try {
      await this.#retry(() => this.#upload(request));
      return true;
    } catch (error) {
      if (isPreconditionFailed(error)) return false;
      throw toStoreError(error);
    }
  }

  async resource(name: string): Promise<ObjectResource | undefined> {
    try {
      const [metadata] = await this.#request(() => this.#bucket.file(name).getMetadata());
      // The service always sends these members.
      return metadata as ObjectResource;
    } catch (error) {
      return undefinedIfMissing(error);
    }
  }

  /** The bytes, verified with the service's checksum. */
  async download(name: string): Promise<Buffer | undefined> {
    try {
      return await this.#retry(() => this.#download(name));
    } catch (error) {
      return undefinedIfMissing(error);
    }
  }

  async read(name: string): Promise<StoredObject | undefined> {
    // Both requests run concurrently: a version only changes by a delete, after which the sizes differ or the content
    // type shows it.
    const [resource, bytes] = await Promise.all([this.resource(name), this.download(name)]);
    if (resource === undefined || bytes === undefined) return undefined;
    if (resource.size !== undefined && Number(resource.size) !== bytes.length) return undefined;
    return { resource, bytes };
  }

  async readRange(
    { name, generation }: ObjectResource,
    { from, bytes }: { readonly from: number; readonly bytes: number },
  ): Promise<Buffer | undefined> {
    const range = { start: from, end: from + bytes - 1 };
    try {
      return await this.#retry(() => this.#download(name, { ...range, generation }));
    } catch (error) {
      return undefinedIfMissing(error);
    }
  }

  async remove({ name, generation }: ObjectResource): Promise<boolean> {
    try {
      await this.#request(() => this.#bucket.file(name).delete({ ifGenerationMatch: generation }));
      return true;
    } catch (error) {
      if (!isNotFound(error) && !isPreconditionFailed(error)) throw toStoreError(error);
      return false;
    }
  }

  /**
   * A URL with which anyone can download the object, as a file, until it expires. Does not check whether the object
   * exists.
   */
  async signedUrl({ name, now, expiresInMs, filename }: SignedUrlRequest): Promise<string> {
    const file = this.#bucket.file(name);
    const config: GetSignedUrlConfig = {
      version: "v4",
      action: "read",
      accessibleAt: now,
      expires: now + expiresInMs,
      // A page that a user uploaded must be downloaded and not opened in the browser.
      responseDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
    };
    const [url] = await this.#request(() => file.getSignedUrl(config)).catch(rethrowStoreError);
    return url;
  }

  async #upload({ name, bytes, attributes, generation }: WriteObjectRequest): Promise<void> {
    const resumable = bytes.length >= RESUMABLE_UPLOAD_BYTES;
    const bucket = resumable ? this.#resumingBucket : this.#bucket;
    const stream = bucket.file(name).createWriteStream({
      resumable,
      contentType: attributes.contentType,
      metadata: { metadata: { ...attributes.metadata } },
      preconditionOpts: { ifGenerationMatch: generation },
    });
    addAbortSignal(AbortSignal.timeout(this.#deadlineMs + Math.ceil(bytes.length / MIN_BYTES_PER_MS)), stream);
    stream.end(bytes);
    await finished(stream);
  }

  async #download(name: string, part?: ObjectPart): Promise<Buffer> {
    const { generation, ...range } = part ?? {};
    const file = this.#bucket.file(name, generation === undefined ? {} : { generation });
    // The service's checksum is that of all bytes.
    const options = part === undefined ? {} : { ...range, validation: false };
    const stream = file.createReadStream({ decompress: false, ...options });
    // The client reads one response in two places, with so many listeners that Node would warn of a leak on each large
    // download.
    stream.once("response", (response: Readable) => response.setMaxListeners(RESPONSE_LISTENERS));
    return receiveBytes(stream, this.#deadlineMs);
  }

  /** The client accepts no signal: results after the deadline are discarded. */
  #request<T>(send: () => Promise<T>): Promise<T> {
    return withDeadline(this.#deadlineMs, (signal) => this.#retry(send, signal));
  }

  #retry<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return repeatTransient(send, { sleep: this.#sleep, isTransient, signal });
  }
}

interface ObjectPart {
  readonly generation: string;
  readonly start: number;
  readonly end: number;
}

function undefinedIfMissing(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw toStoreError(error);
}

function rethrowStoreError(error: unknown): never {
  throw toStoreError(error);
}
