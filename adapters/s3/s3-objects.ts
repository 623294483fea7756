import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import {
  NO_GENERATION,
  type ObjectBucket,
  type StoredObject,
  type WriteObjectRequest,
} from "#ports/artifacts/bucket/object-bucket.ts";
import { forEachInParallel } from "#ports/artifacts/bucket/object-deletion.ts";
import { isTombstone, type ObjectResource, TOMBSTONE } from "#ports/artifacts/bucket/object-metadata.ts";
import { brokenOff, receiveBytes, repeatTransient, withDeadline } from "#ports/artifacts/bucket/repeat-requests.ts";
import type { ByteRange } from "#ports/encryption/sealed-blocks.ts";
import { assertConditionalWrites } from "./conditional-writes.ts";
import { isNotFound, isNotImplemented, isPreconditionFailed, isTransient, toStoreError } from "./s3-errors.ts";
import { contentBytesOf, hasTrailer, metadataOf, toStoredForm } from "./s3-object-form.ts";

export interface S3ObjectsOptions {
  /** A client that sends each request once. */
  readonly client: S3Client;
  readonly bucket: string;
  /** The key of the service's key management that encrypts objects. */
  readonly kmsKeyId?: string | undefined;
  /** Whether what is deleted is counted. Of two concurrent deletes of an object, only one may count it then. */
  readonly isCounted: boolean;
  /** The server's address and the name of its setting, for errors. */
  readonly server: string;
  readonly setting: string;
  /** The deadline of a request without a body, including retries, and of inactivity within one with a body. */
  readonly deadlineMs?: number | undefined;
  /** Objects on one page of a listing; the service returns at most 1,000. */
  readonly pageSize?: number | undefined;
  /** Waits before a request is repeated. */
  readonly sleep?: Sleep | undefined;
}

const DEADLINE_MS = 30_000;
const PAGE_SIZE = 1_000;
/** A large upload can complete on a connection that is this slow. */
const MIN_BYTES_PER_MS = 256;

/**
 * Objects of one bucket of an S3 server. The generation of an object is its entity tag. An object is written by one request, so
 * that readers see all of it or nothing.
 */
export class S3Objects implements ObjectBucket {
  readonly #options: S3ObjectsOptions;
  readonly #deadlineMs: number;
  readonly #sleep: Sleep;
  #checked: Promise<void> | undefined;

  constructor(options: S3ObjectsOptions) {
    this.#options = options;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#sleep = options.sleep ?? sleep;
  }

  /**
   * Finds out whether the server honours conditions of writes; each write waits for it. Throws `CONFIGURATION` if it does not, and
   * `STORE_UNAVAILABLE` if it cannot be asked now; the next call then asks again.
   */
  ready(): Promise<void> {
    this.#checked ??= this.#check();
    return this.#checked;
  }

  async *list(
    prefix: string,
    { withMetadata = false, after }: { readonly withMetadata?: boolean; readonly after?: string | undefined } = {},
  ): AsyncGenerator<readonly ObjectResource[], void, undefined> {
    for await (const { Contents = [] } of this.#pages(prefix, { after })) {
      const listed = Contents.map((object): ObjectResource => {
        const { Key = "", Size = 0, ETag, LastModified } = object;
        return { name: Key, generation: generationOf(ETag), ...createdAt(LastModified), ...typeOf(Size, undefined) };
      });
      yield withMetadata ? await this.#withMetadata(listed) : listed;
    }
  }

  async *folders(prefix: string): AsyncGenerator<string, void, undefined> {
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, { delimiter: "/" }))
      for (const { Prefix = "" } of CommonPrefixes) yield Prefix.slice(prefix.length, -1);
  }

  async write(request: WriteObjectRequest): Promise<boolean> {
    await this.ready();
    try {
      return await this.#put(request);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async resource(name: string): Promise<ObjectResource | undefined> {
    try {
      const headers = await this.#request((abortSignal) =>
        this.#options.client.send(new HeadObjectCommand({ ...this.#at(name) }), { abortSignal }),
      );
      if (!hasTrailer(headers)) return resourceOf(name, headers, undefined);
      const { ContentLength = 0, ETag } = headers;
      const trailer = await this.#get(name, { range: [contentBytesOf(headers), ContentLength - 1], generation: ETag });
      return resourceOf(name, headers, trailer.bytes);
    } catch (error) {
      return undefinedIfGone(error);
    }
  }

  async read(name: string): Promise<StoredObject | undefined> {
    try {
      const { headers, bytes } = await this.#get(name);
      const length = contentBytesOf(headers);
      const trailer = hasTrailer(headers) ? bytes.subarray(length) : undefined;
      return { resource: resourceOf(name, headers, trailer), bytes: bytes.subarray(0, length) };
    } catch (error) {
      return undefinedIfGone(error);
    }
  }

  async download(name: string): Promise<Uint8Array | undefined> {
    return (await this.read(name))?.bytes;
  }

  async readRange(
    { name, generation, size }: ObjectResource,
    { from, bytes }: ByteRange,
  ): Promise<Uint8Array | undefined> {
    // The metadata may follow the content.
    const last = Math.min(from + bytes, Number(size)) - 1;
    if (last < from) return new Uint8Array();
    try {
      return (await this.#get(name, { range: [from, last], generation })).bytes;
    } catch (error) {
      return undefinedIfGone(error);
    }
  }

  async remove(resource: ObjectResource): Promise<boolean> {
    const { name, generation } = resource;
    if (!this.#options.isCounted || isTombstone(resource)) return this.#delete(name, generation);
    // The service does not answer a delete with whether there was an object. A conditional write of an empty object can
    // succeed for one caller only.
    const isOurs = await this.write({ name, generation, bytes: new Uint8Array(), attributes: TOMBSTONE });
    const left = await this.resource(name);
    if (left !== undefined && isTombstone(left)) await this.#delete(name, left.generation);
    return isOurs;
  }

  async #delete(name: string, generation: string): Promise<boolean> {
    const send = (condition: { readonly IfMatch?: string }) =>
      this.#request((abortSignal) =>
        this.#options.client.send(new DeleteObjectCommand({ ...this.#at(name), ...condition }), { abortSignal }),
      );
    try {
      await send({ IfMatch: quoted(generation) }).catch((error: unknown) => {
        if (!isNotImplemented(error)) throw error;
        return send({});
      });
      return true;
    } catch (error) {
      if (!isNotFound(error) && !isPreconditionFailed(error)) throw toStoreError(error);
      return false;
    }
  }

  async #check(): Promise<void> {
    const { isCounted, server, setting } = this.#options;
    const put = (request: WriteObjectRequest) => this.#put(request);
    try {
      await assertConditionalWrites({ put, replaces: isCounted, server, setting });
    } catch (error) {
      const failure = toStoreError(error);
      if (!(failure instanceof PlatformError) || failure.reason !== "CONFIGURATION") this.#checked = undefined;
      throw failure;
    }
  }

  async #put({ name, bytes, attributes, generation }: WriteObjectRequest): Promise<boolean> {
    const isDeleted = attributes.contentType === TOMBSTONE.contentType;
    const { body, metadata } = isDeleted ? { body: bytes, metadata: {} } : toStoredForm(bytes, attributes);
    const { client, kmsKeyId } = this.#options;
    const input = {
      ...this.#at(name),
      Body: body,
      ContentType: attributes.contentType,
      ContentMD5: createHash("md5").update(body).digest("base64"),
      Metadata: { ...metadata },
      ...(generation === NO_GENERATION ? { IfNoneMatch: "*" } : { IfMatch: quoted(generation) }),
      ...(kmsKeyId !== undefined && { ServerSideEncryption: "aws:kms" as const, SSEKMSKeyId: kmsKeyId }),
    };
    const send = () =>
      withDeadline(this.#deadlineMs + Math.ceil(body.length / MIN_BYTES_PER_MS), (abortSignal) =>
        client.send(new PutObjectCommand(input), { abortSignal }),
      );
    try {
      await this.#retry(send);
      return true;
    } catch (error) {
      if (isPreconditionFailed(error) || (generation !== NO_GENERATION && isNotFound(error))) return false;
      throw error;
    }
  }

  /** The bytes of the object or a range of it; fails if the connection breaks before the last one. */
  #get(name: string, { range, generation }: ObjectPart = {}): Promise<Received> {
    const input = {
      ...this.#at(name),
      ...(range !== undefined && { Range: `bytes=${range[0]}-${range[1]}` }),
      ...(generation !== undefined && { IfMatch: quoted(generation) }),
    };
    return this.#retry(async () => {
      const headers = await withDeadline(this.#deadlineMs, (abortSignal) =>
        this.#options.client.send(new GetObjectCommand(input), { abortSignal }),
      );
      return { headers, bytes: await this.#receive(headers) };
    });
  }

  async #receive({ Body, ContentLength }: GetObjectCommandOutput): Promise<Buffer> {
    if (!(Body instanceof Readable)) return Buffer.alloc(0);
    const bytes = await receiveBytes(Body, this.#deadlineMs);
    if (ContentLength !== undefined && ContentLength !== bytes.length) throw brokenOff();
    return bytes;
  }

  /** Listings have no metadata: each object is asked for its own. Objects that are deleted meanwhile are left out. */
  async #withMetadata(listed: readonly ObjectResource[]): Promise<readonly ObjectResource[]> {
    const complete = new Map<string, ObjectResource>();
    await forEachInParallel(listed, async (object) => {
      const resource = isTombstone(object) ? object : await this.resource(object.name);
      if (resource !== undefined) complete.set(object.name, resource);
    });
    return listed.flatMap(({ name }) => complete.get(name) ?? []);
  }

  async *#pages(
    prefix: string,
    { delimiter, after }: { readonly delimiter?: string; readonly after?: string | undefined },
  ): AsyncGenerator<ListObjectsV2CommandOutput, void, undefined> {
    const { client, bucket, pageSize = PAGE_SIZE } = this.#options;
    let token: string | undefined;
    do {
      const page = { ContinuationToken: token, MaxKeys: pageSize };
      const input = { Bucket: bucket, Prefix: prefix, Delimiter: delimiter, StartAfter: after, ...page };
      const answer: ListObjectsV2CommandOutput = await this.#request((abortSignal) =>
        client.send(new ListObjectsV2Command(input), { abortSignal }),
      ).catch(rethrowStoreError);
      yield answer;
      token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  #at(name: string) {
    return { Bucket: this.#options.bucket, Key: name };
  }

  #request<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#deadlineMs, (signal) => this.#retry(() => send(signal), signal));
  }

  #retry<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return repeatTransient(send, { sleep: this.#sleep, isTransient, signal });
  }
}

interface ObjectPart {
  /** The first and the last byte. */
  readonly range?: readonly [number, number];
  readonly generation?: string | undefined;
}

interface Received {
  readonly headers: GetObjectCommandOutput;
  readonly bytes: Buffer;
}

function resourceOf(name: string, headers: HeadObjectCommandOutput, trailer: Uint8Array | undefined): ObjectResource {
  const { ETag, LastModified, ContentType, ContentLength = 0 } = headers;
  return {
    name,
    generation: generationOf(ETag),
    ...createdAt(LastModified),
    ...typeOf(ContentLength, ContentType),
    size: String(contentBytesOf(headers)),
    metadata: metadataOf(headers, trailer),
  };
}

/** An empty object is a deleted version (see s3-object-form.ts). */
function typeOf(bytes: number, contentType: string | undefined): { readonly contentType?: string } {
  if (bytes === 0) return { contentType: TOMBSTONE.contentType };
  return contentType === undefined ? {} : { contentType };
}

function createdAt(modified: HeadObjectCommandOutput["LastModified"]): { readonly timeCreated: string } {
  return { timeCreated: modified?.toISOString() ?? "" };
}

/** Servers differ about the quotes of entity tags. */
function generationOf(tag: string | undefined): string {
  return tag?.replaceAll('"', "") ?? "";
}

function quoted(tag: string): string {
  return `"${generationOf(tag)}"`;
}

function undefinedIfGone(error: unknown): undefined {
  if (isNotFound(error) || isPreconditionFailed(error)) return undefined;
  throw toStoreError(error);
}

function rethrowStoreError(error: unknown): never {
  throw toStoreError(error);
}
