import type { Readable } from "node:stream";
import type { BlobGetPropertiesResponse, BlockBlobClient, ContainerClient } from "@azure/storage-blob";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import {
  NO_GENERATION,
  type ObjectBucket,
  type StoredObject,
  type WriteObjectRequest,
} from "#ports/artifacts/bucket/object-bucket.ts";
import type { ObjectResource } from "#ports/artifacts/bucket/object-metadata.ts";
import { brokenOff, receiveBytes, repeatTransient, withDeadline } from "#ports/artifacts/bucket/repeat-requests.ts";
import type { ByteRange } from "#ports/encryption/sealed-blocks.ts";
import { isNotFound, isPreconditionFailed, isTransient, toStoreError } from "./azure-errors.ts";
import { fromAzureMetadata, toAzureMetadata } from "./azure-metadata.ts";

export interface AzureObjectsOptions {
  /** The container, of a client that sends each request once. It is asked for before each request. */
  readonly container: () => Promise<ContainerClient>;
  /** The deadline of a request without a body, including retries, and of inactivity within one with a body. */
  readonly deadlineMs?: number | undefined;
  /** Objects on one page of a listing; the service returns at most 5,000. */
  readonly pageSize?: number | undefined;
  /** Waits before a request is repeated. */
  readonly sleep?: Sleep | undefined;
}

const DEADLINE_MS = 30_000;
const PAGE_SIZE = 1_000;
/** A large upload can complete on a connection that is this slow. */
const MIN_BYTES_PER_MS = 256;

/**
 * Objects of one container of Azure Blob Storage, as block blobs. The generation of an object is its entity tag. An
 * object is written by one request, so that readers see all of it or nothing.
 */
export class AzureObjects implements ObjectBucket {
  readonly #options: AzureObjectsOptions;
  readonly #deadlineMs: number;

  constructor(options: AzureObjectsOptions) {
    this.#options = options;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  }

  async *list(
    prefix: string,
    { withMetadata = false, after }: { readonly withMetadata?: boolean; readonly after?: string | undefined } = {},
  ): AsyncGenerator<readonly ObjectResource[], void, undefined> {
    // The service begins with the name `startFrom` itself; a server that does not know it begins with the first name.
    const query = { prefix, includeMetadata: withMetadata, startFrom: after };
    for await (const { segment } of this.#pages((container, page) => container.listBlobsFlat(query).byPage(page)))
      yield segment.blobItems
        .filter(({ name }) => after === undefined || name > after)
        .map(({ name, properties, metadata }) => resourceOf(name, { ...properties, metadata }));
  }

  async *folders(prefix: string): AsyncGenerator<string, void, undefined> {
    const query = { prefix };
    for await (const { segment } of this.#pages((container, page) =>
      container.listBlobsByHierarchy("/", query).byPage(page),
    ))
      for (const { name } of segment.blobPrefixes ?? []) yield name.slice(prefix.length, -1);
  }

  async write({ name, bytes, attributes, generation }: WriteObjectRequest): Promise<boolean> {
    const options = {
      conditions: generation === NO_GENERATION ? { ifNoneMatch: "*" } : { ifMatch: quoted(generation) },
      blobHTTPHeaders: { blobContentType: attributes.contentType },
      metadata: toAzureMetadata(attributes.metadata),
    };
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const send = async () => {
      const blob = await this.#blob(name);
      return withDeadline(this.#deadlineMs + Math.ceil(body.length / MIN_BYTES_PER_MS), (abortSignal) =>
        blob.upload(body, body.length, { ...options, abortSignal }),
      );
    };
    return trueUnlessGone(this.#retry(send));
  }

  async resource(name: string): Promise<ObjectResource | undefined> {
    const sent = this.#request(async (abortSignal) => (await this.#blob(name)).getProperties({ abortSignal }));
    return undefinedIfGone(sent.then((properties) => resourceOf(name, properties)));
  }

  read(name: string): Promise<StoredObject | undefined> {
    return undefinedIfGone(this.#get(name));
  }

  async download(name: string): Promise<Uint8Array | undefined> {
    return (await this.read(name))?.bytes;
  }

  async readRange({ name, generation }: ObjectResource, range: ByteRange): Promise<Uint8Array | undefined> {
    return (await undefinedIfGone(this.#get(name, { ...range, generation })))?.bytes;
  }

  remove({ name, generation }: ObjectResource): Promise<boolean> {
    const conditions = { ifMatch: quoted(generation) };
    return trueUnlessGone(
      this.#request(async (abortSignal) =>
        (await this.#blob(name)).delete({ conditions, deleteSnapshots: "include", abortSignal }),
      ),
    );
  }

  /** The bytes of the object or a range of it; fails if the connection breaks before the last one. */
  #get(name: string, part?: ByteRange & { readonly generation: string }): Promise<StoredObject> {
    const conditions = part === undefined ? {} : { ifMatch: quoted(part.generation) };
    return this.#retry(async () => {
      const blob = await this.#blob(name);
      const answer = await withDeadline(this.#deadlineMs, (abortSignal) =>
        // Without retries of its own: the SDK asks for what is missing of another object too.
        blob.download(part?.from, part?.bytes, { conditions, maxRetryRequests: 0, abortSignal }),
      );
      const bytes = await this.#receive(answer.readableStreamBody);
      if (answer.contentLength !== bytes.length) throw brokenOff();
      return { resource: resourceOf(name, answer), bytes };
    });
  }

  async #receive(body: NodeJS.ReadableStream | undefined): Promise<Buffer> {
    try {
      // In Node the body is a stream of its own kind.
      return await receiveBytes(body as Readable, this.#deadlineMs);
    } catch (error) {
      // The SDK reports a connection that breaks in a body like a call that its caller has ended.
      throw error instanceof Error && error.name === "TimeoutError" ? error : brokenOff();
    }
  }

  async *#pages<Page extends { readonly continuationToken?: string | undefined }>(
    pagesOf: (container: ContainerClient, page: PageSettings) => AsyncIterableIterator<Page>,
  ): AsyncGenerator<Page, void, undefined> {
    const { container, pageSize = PAGE_SIZE } = this.#options;
    let continuationToken: string | undefined;
    do {
      const settings = { maxPageSize: pageSize, continuationToken };
      // Listings take the signal with their options; what arrives after the deadline is discarded.
      const page = await this.#request(
        async () => (await pagesOf(await container(), settings).next()).value as Page,
      ).catch(rethrowStoreError);
      yield page;
      continuationToken = page.continuationToken || undefined;
    } while (continuationToken !== undefined);
  }

  async #blob(name: string): Promise<BlockBlobClient> {
    return (await this.#options.container()).getBlockBlobClient(name);
  }

  #request<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#deadlineMs, (signal) => this.#retry(() => send(signal), signal));
  }

  #retry<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return repeatTransient(send, { sleep: this.#options.sleep ?? sleep, isTransient, signal });
  }
}

interface PageSettings {
  readonly maxPageSize: number;
  readonly continuationToken: string | undefined;
}

type Properties = Pick<
  BlobGetPropertiesResponse,
  "etag" | "lastModified" | "contentType" | "contentLength" | "metadata"
>;

function resourceOf(
  name: string,
  { etag, lastModified, contentType, contentLength, metadata }: Properties,
): ObjectResource {
  return {
    name,
    generation: etag?.replaceAll('"', "") ?? "",
    timeCreated: lastModified?.toISOString() ?? "",
    contentType,
    size: String(contentLength ?? 0),
    metadata: fromAzureMetadata(metadata),
  };
}

function quoted(generation: string): string {
  return `"${generation}"`;
}

async function undefinedIfGone<T>(sent: Promise<T>): Promise<T | undefined> {
  try {
    return await sent;
  } catch (error) {
    if (isNotFound(error) || isPreconditionFailed(error)) return undefined;
    throw toStoreError(error);
  }
}

async function trueUnlessGone(sent: Promise<unknown>): Promise<boolean> {
  return (await undefinedIfGone(sent.then(() => true))) ?? false;
}

function rethrowStoreError(error: unknown): never {
  throw toStoreError(error);
}
