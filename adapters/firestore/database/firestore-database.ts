import firestore from "@google-cloud/firestore";
import { credentials } from "@grpc/grpc-js";
import { present } from "#kit/platform/members.ts";
import { storeUnavailable, translateFirestoreError } from "./firestore-errors.ts";
import {
  type DocumentFields,
  type DocumentValue,
  fromWireFields,
  toWireFields,
  toWireVector,
  type WireFields,
  type WireValue,
} from "./firestore-values.ts";

export interface FirestoreDatabaseOptions {
  readonly projectId: string;
  /** The default database when absent. */
  readonly databaseId?: string | undefined;
  /** Host and port of an emulator, which is called without encryption and credentials. */
  readonly emulatorHost?: string | undefined;
  /** The time limit of one call; a failed call is not repeated here. */
  readonly deadlineMs?: number | undefined;
  /** Called before each call is sent. */
  readonly observeCall?: ((call: FirestoreCall) => void) | undefined;
}

export interface FirestoreCall {
  readonly method: "batchGetDocuments" | "runQuery" | "commit";
  /** How many documents are read, or how many writes are sent. */
  readonly count: number;
  readonly query?: CollectionQuery;
}

/** When a document was last changed, by the store's clock: for preconditions, not for display. */
export interface DocumentVersion {
  readonly seconds?: unknown;
  readonly nanos?: unknown;
}

export interface StoredDocument {
  /** From the database's root, with slashes. */
  readonly path: string;
  readonly version: DocumentVersion;
  readonly fields: Readonly<Record<string, DocumentValue>>;
}

/** One write of a commit. */
export type DocumentWrite =
  | { readonly kind: "create"; readonly path: string; readonly fields: DocumentFields }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly fields: DocumentFields;
      /** Additional fields, which hold vectors. */
      readonly vectors?: Readonly<Record<string, readonly number[]>>;
      /** Paths of the fields to set; a path that `fields` lacks is removed. */
      readonly mask: readonly string[];
      /**
       * The document must still have this version; `exists`: it must exist; `missing`: it must not; absent: it is created
       * if it is missing.
       */
      readonly expect?: DocumentVersion | "exists" | "missing";
    }
  | {
      /** Adds to numbers of a document, which is created if it is missing. */
      readonly kind: "add";
      readonly path: string;
      readonly amounts: Readonly<Record<string, number>>;
      readonly expect?: DocumentVersion | "missing";
    }
  | { readonly kind: "delete"; readonly path: string; readonly expect?: DocumentVersion };

export interface CollectionQuery {
  /** Path of the document that contains the collection; `""` for the root of the database. */
  readonly parent: string;
  /** Its name; empty, with `allDescendants`, for collections of all names. */
  readonly collection: string;
  /** Searches all collections of that name below the parent, at any depth. Needs an index for groups of collections. */
  readonly allDescendants?: boolean;
  readonly where?: readonly FieldFilter[];
  readonly orderBy?: readonly (readonly [field: string, direction: "ASCENDING" | "DESCENDING"])[];
  /** Values of the `orderBy` fields after which the results start. */
  readonly startAfter?: readonly WireValue[] | undefined;
  readonly limit?: number | undefined;
  /** Only these fields; all when absent. */
  readonly select?: readonly string[] | undefined;
  /** The documents whose vector in this field is closest, closest first. Replaces `orderBy` and `limit`. */
  readonly nearest?: NearestFilter;
}

export interface NearestFilter {
  readonly field: string;
  readonly vector: WireValue;
  readonly limit: number;
  /** The largest distance of a result; 0 is the same direction, 1 a right angle, 2 the opposite. */
  readonly maxCosineDistance: number;
}

export interface FieldFilter {
  readonly field: string;
  readonly op:
    | "EQUAL"
    | "IN"
    | "GREATER_THAN"
    | "GREATER_THAN_OR_EQUAL"
    | "LESS_THAN"
    | "LESS_THAN_OR_EQUAL"
    | "ARRAY_CONTAINS_ANY";
  readonly value: WireValue;
}

type Client = InstanceType<typeof firestore.v1.FirestoreClient>;

/** The field name of a document's own path in queries. */
export const DOCUMENT_NAME = "__name__";

const DEFAULT_DEADLINE_MS = 10_000;
/** Otherwise the library reopens a stream that ends without an answer twice. */
const NO_RETRIES = { retries: 0, noResponseRetries: 0 };

/**
 * A store that was briefly unavailable is reconnected well within a lease: by default the library waits a second, and
 * longer each time.
 */
const RECONNECTING = { "grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 1000 };

/**
 * The three calls of the Firestore protocol that stores need, each with a deadline and without hidden repetition: the
 * client library's own batches repeat a commit for up to ten minutes, even one that the store refuses for its size, and
 * cannot be stopped.
 */
export class FirestoreDatabase implements AsyncDisposable {
  readonly #createClient: () => Client;
  #client: Client;
  readonly #database: string;
  readonly #documents: string;
  readonly #callOptions: { readonly timeout: number; readonly retry: null };
  readonly #streamOptions: { readonly timeout: number; readonly retryRequestOptions: typeof NO_RETRIES };
  readonly #observeCall: (call: FirestoreCall) => void;

  constructor(options: FirestoreDatabaseOptions) {
    const { projectId, databaseId = "(default)", emulatorHost, deadlineMs = DEFAULT_DEADLINE_MS } = options;
    this.#database = `projects/${projectId}/databases/${databaseId}`;
    this.#documents = `${this.#database}/documents`;
    this.#createClient = () =>
      new firestore.v1.FirestoreClient({
        projectId,
        ...RECONNECTING,
        ...(emulatorHost && emulatorSettings(emulatorHost)),
      });
    this.#client = this.#createClient();
    this.#callOptions = { timeout: deadlineMs, retry: null };
    this.#streamOptions = { timeout: deadlineMs, retryRequestOptions: NO_RETRIES };
    this.#observeCall = options.observeCall ?? (() => undefined);
  }

  /** The existing documents by path, in one call; only the given fields, or all if absent. */
  async read(paths: readonly string[], fields?: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    this.#observeCall({ method: "batchGetDocuments", count: paths.length });
    const request = {
      database: this.#database,
      documents: paths.map((path) => `${this.#documents}/${path}`),
      mask: fields && { fieldPaths: [...fields] },
    };
    const found = new Map<string, StoredDocument>();
    let answers = 0;
    for await (const answer of this.#stream((client) => client.batchGetDocuments(request, this.#streamOptions))) {
      if (answer.found || answer.missing) answers += 1;
      if (answer.found) found.set(this.#pathOf(answer.found), this.#toStored(answer.found));
    }
    // Documents missing from a stream that ended early must not count as documents that do not exist.
    if (answers < new Set(paths).size) throw storeUnavailable();
    return found;
  }

  async query(query: CollectionQuery): Promise<readonly StoredDocument[]> {
    this.#observeCall({ method: "runQuery", count: 1, query });
    const parent = query.parent === "" ? this.#documents : `${this.#documents}/${query.parent}`;
    const request = { parent, structuredQuery: toStructuredQuery(query) };
    const found: StoredDocument[] = [];
    for await (const { document } of this.#stream((client) => client.runQuery(request, this.#streamOptions))) {
      if (document) found.push(this.#toStored(document));
    }
    return found;
  }

  /**
   * All writes or none, in one call. Throws `LostPreconditionError`. Returns the documents' new versions, in the order
   * of the writes.
   */
  async commit(writes: readonly DocumentWrite[]): Promise<readonly DocumentVersion[]> {
    this.#observeCall({ method: "commit", count: writes.length });
    const request = { database: this.#database, writes: writes.map((write) => toWireWrite(write, this.#documents)) };
    try {
      const client = await this.#ready();
      const [{ writeResults, commitTime }] = await client.commit(request, this.#callOptions);
      return writes.map((_, index) => writeResults?.[index]?.updateTime ?? commitTime ?? {});
    } catch (error) {
      throw translateFirestoreError(error, "commit");
    }
  }

  /** The full name of a document, as a value for comparisons in queries. */
  reference(path: string): WireValue {
    return { referenceValue: `${this.#documents}/${path}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  /** The client keeps its first failure to find credentials until it is closed, so it is replaced for the next call. */
  async #ready(): Promise<Client> {
    const client = this.#client;
    try {
      await client.initialize();
      return client;
    } catch (error) {
      if (this.#client === client) this.#client = this.#createClient();
      throw storeUnavailable(error);
    }
  }

  async *#stream(open: (client: Client) => AsyncIterable<unknown>): AsyncIterable<WireAnswer> {
    try {
      // The library decodes answers by the protocol's definition, with 64-bit integers as text.
      for await (const answer of open(await this.#ready())) yield answer as WireAnswer;
    } catch (error) {
      throw translateFirestoreError(error, "read");
    }
  }

  #toStored(document: WireDocument): StoredDocument {
    return { path: this.#pathOf(document), version: document.updateTime, fields: fromWireFields(document.fields) };
  }

  #pathOf({ name }: WireDocument): string {
    return name.slice(this.#documents.length + 1);
  }
}

/** An answer to a batched read or a query, with only the members used here. */
interface WireAnswer {
  readonly found?: WireDocument | null;
  readonly missing?: string | null;
  readonly document?: WireDocument | null;
}

interface WireDocument {
  readonly name: string;
  readonly updateTime: DocumentVersion;
  readonly fields?: WireFields | null;
}

function emulatorSettings(emulatorHost: string): object {
  const [servicePath, port] = emulatorHost.split(":");
  // Set explicitly, so that the library does not ask a cloud's metadata server for it.
  const clientOptions = { universeDomain: "googleapis.com" };
  return { servicePath, port: Number(port), sslCreds: credentials.createInsecure(), clientOptions };
}

function toWireWrite(write: DocumentWrite, documents: string): object {
  const name = `${documents}/${write.path}`;
  if (write.kind === "delete") {
    return present({ delete: name, currentDocument: write.expect && { updateTime: write.expect } });
  }
  if (write.kind === "add") return toWireAddition(name, write);
  const update = { name, fields: { ...toWireFields(write.fields) } };
  if (write.kind === "create") return { update, currentDocument: { exists: false } };
  const { mask, expect, vectors = {} } = write;
  for (const [field, numbers] of Object.entries(vectors)) update.fields[field] = toWireVector(numbers);
  const currentDocument = typeof expect === "string" ? { exists: expect === "exists" } : { updateTime: expect };
  return present({
    update,
    updateMask: { fieldPaths: mask },
    currentDocument: expect === undefined ? undefined : currentDocument,
  });
}

function toWireAddition(name: string, { amounts, expect }: Extract<DocumentWrite, { kind: "add" }>): object {
  return {
    update: { name, fields: {} },
    updateMask: { fieldPaths: [] },
    updateTransforms: Object.entries(amounts).map(([fieldPath, amount]) => ({
      fieldPath,
      increment: { integerValue: amount },
    })),
    ...(expect !== undefined && {
      currentDocument: expect === "missing" ? { exists: false } : { updateTime: expect },
    }),
  };
}

function toStructuredQuery({
  collection,
  allDescendants = false,
  where = [],
  orderBy = [],
  startAfter,
  limit,
  select,
  nearest,
}: CollectionQuery): object {
  const filters = where.map(({ field, op, value }) => ({ fieldFilter: { field: { fieldPath: field }, op, value } }));
  return present({
    from: [{ collectionId: collection, allDescendants }],
    where: filters.length > 0 ? { compositeFilter: { op: "AND", filters } } : undefined,
    orderBy: orderBy.map(([field, direction]) => ({ field: { fieldPath: field }, direction })),
    startAt: startAfter && { values: startAfter, before: false },
    limit: limit === undefined ? undefined : { value: limit },
    select: select && { fields: select.map((field) => ({ fieldPath: field })) },
    findNearest: nearest && toFindNearest(nearest),
  });
}

function toFindNearest({ field, vector, limit, maxCosineDistance }: NearestFilter): object {
  return {
    vectorField: { fieldPath: field },
    queryVector: vector,
    distanceMeasure: "COSINE",
    limit: { value: limit },
    distanceThreshold: { value: maxCosineDistance },
  };
}
