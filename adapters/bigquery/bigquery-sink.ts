import type { adapt as Adapt, managedwriter as ManagedWriter } from "@google-cloud/bigquery-storage";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { withinTime } from "#kit/outbound-http/within-time.ts";
import { dateOf } from "#kit/platform/iso-time.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type AnalyticsRow, COLUMNS, type OffloadPlace, type QueuedRow } from "#kit/plugins/analytics/analytics-row.ts";
import { type AnalyticsSink, RowsRefused } from "#kit/plugins/analytics/row-queue.ts";
import { prepareTable, type TableOptions } from "./bigquery-table.ts";
import { connectionOptions, type ServiceAccountKey } from "./google-auth.ts";
import { ObjectUploads } from "./object-uploads.ts";

/** Where Google's services are, for emulators (`http://…`, without authentication) and private endpoints: URLs. */
export interface AnalyticsEndpoints {
  /** BigQuery's REST API. */
  readonly bigQuery?: string | undefined;
  /** BigQuery's write API, which is gRPC. */
  readonly write?: string | undefined;
  readonly storage?: string | undefined;
}

export interface BigQuerySinkOptions extends TableOptions {
  readonly projectId: string;
  readonly offload: OffloadPlace | undefined;
  readonly credentials: ServiceAccountKey | undefined;
  readonly endpoints: AnalyticsEndpoints;
}

/** An upload may take so much longer than another call. */
const UPLOAD_FACTOR = 6;

/** Codes of gRPC. */
const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;
const PERMANENT = new Set([INVALID_ARGUMENT, 7, 12, 16]);
/** The stream has ended, is unknown, or is at another place. */
const STREAM_LOST = new Set([5, 9, 11]);

interface Stream {
  readonly writer: ManagedWriter.JSONWriter;
  readonly name: string;
}

/**
 * Writes rows by BigQuery's write API. Each process has a stream of its own, where every batch has its place: a batch
 * whose answer was lost is sent again to the same place, and BigQuery refuses it if it is there already. A stream that
 * ends is replaced; only then can the batch that was sent last be there twice.
 */
export class BigQuerySink implements AnalyticsSink {
  readonly #options: BigQuerySinkOptions;
  readonly #client = lazy(() => this.#openClient());
  readonly #table = lazy(() => this.#prepare());
  readonly offload: OffloadPlace | undefined;
  readonly #uploads: ObjectUploads | undefined;
  #logger: Logger | undefined;
  #streamName: string | undefined;
  #stream: Stream | undefined;
  /** The place of the next row in the stream. */
  #offset = 0;
  readonly #closed = Promise.withResolvers<Failure>();
  /** The batch whose fate is unknown. */
  #pending: readonly QueuedRow[] | undefined;
  /** The indexes of rows that BigQuery does not take, by batch: they are left out when it is sent again. */
  readonly #refused = new WeakMap<readonly QueuedRow[], ReadonlySet<number>>();
  #openedClient: ManagedWriter.WriterClient | undefined;

  constructor(options: BigQuerySinkOptions) {
    this.#options = options;
    const { offload, projectId, credentials, endpoints } = options;
    const timeoutMs = UPLOAD_FACTOR * options.timeoutMs;
    this.offload = offload;
    if (offload === undefined) return;
    const { bucket } = offload;
    this.#uploads = new ObjectUploads({ bucket, projectId, credentials, endpoint: endpoints.storage, timeoutMs });
  }

  get lostUploads(): number {
    return this.#uploads?.lost ?? 0;
  }

  async append(batch: readonly QueuedRow[], logger?: Logger): Promise<number> {
    this.#logger = logger;
    await this.#uploads?.upload(batch);
    await this.#table();
    // The queue has given up a batch that may be there: the place of the next one is unknown.
    if (this.#pending !== undefined && this.#pending !== batch) this.#leaveStream();
    const refused = this.#refused.get(batch);
    const rows = batch.filter((_, index) => refused?.has(index) !== true).map(({ row }) => toProtoRow(row));
    if (rows.length === 0) return batch.length;
    const bad = await this.#write(batch, rows);
    if (bad.size === 0) return refused?.size ?? 0;
    if (refused !== undefined) throw new RowsRefused("BigQuery refuses rows that it has accepted before.");
    this.#refused.set(batch, bad);
    return this.append(batch, logger);
  }

  async close(): Promise<void> {
    this.#closed.resolve({ code: 1, message: "The plugin was closed.", badRows: [] });
    this.#stream?.writer.close();
    this.#openedClient?.close();
    this.#leaveStream();
  }

  /** Appends all of the rows or none, and returns the indexes of those that BigQuery does not take. */
  async #write(batch: readonly QueuedRow[], rows: readonly ProtoRow[]): Promise<ReadonlySet<number>> {
    const { writer } = await this.#openStream();
    this.#pending = batch;
    const failure = await this.#result(writer, rows);
    if (failure === undefined || failure.code === ALREADY_EXISTS) {
      this.#offset += rows.length;
      this.#pending = undefined;
      return new Set();
    }
    if (failure.badRows.length > 0) {
      this.#pending = undefined;
      return new Set(failure.badRows);
    }
    if (STREAM_LOST.has(failure.code)) this.#leaveStream();
    if (PERMANENT.has(failure.code)) {
      this.#pending = undefined;
      throw new RowsRefused(failure.message);
    }
    // The next attempt opens a new connection.
    writer.close();
    this.#stream = undefined;
    throw new Error(failure.message);
  }

  async #result(writer: ManagedWriter.JSONWriter, rows: readonly ProtoRow[]): Promise<Failure | undefined> {
    try {
      const answered = writer.appendRows([...rows], this.#offset).getResult();
      return await this.#answerOf(Promise.race([answered.then(failureOf), this.#closed.promise]));
    } catch (error) {
      return { code: codeOf(error), message: error instanceof Error ? error.message : String(error), badRows: [] };
    }
  }

  async #openStream(): Promise<Stream> {
    if (this.#stream !== undefined) return this.#stream;
    const { projectId, datasetId, tableName } = this.#options;
    const { managedwriter, adapt } = await loadWriter();
    const client = await this.#client();
    this.#openedClient = client;
    const destinationTable = `projects/${projectId}/datasets/${datasetId}/tables/${tableName}`;
    const { CommittedStream: streamType } = managedwriter;
    this.#streamName ??= await this.#answerOf(client.createWriteStream({ streamType, destinationTable }));
    const connection = await this.#answerOf(client.createStreamConnection({ streamId: this.#streamName }));
    // Failures reach the append that waits; without a listener the emitter would throw them.
    connection.onConnectionError(() => {});
    const writer = new managedwriter.JSONWriter({ connection, protoDescriptor: rowDescriptor(adapt) });
    this.#stream = { writer, name: this.#streamName };
    return this.#stream;
  }

  #answerOf<Answer>(call: Promise<Answer>): Promise<Answer> {
    return withinTime(call, this.#options.timeoutMs, "BigQuery");
  }

  #leaveStream(): void {
    this.#stream?.writer.close();
    this.#stream = undefined;
    this.#streamName = undefined;
    this.#offset = 0;
    this.#pending = undefined;
  }

  async #openClient(): Promise<ManagedWriter.WriterClient> {
    const { projectId, credentials, endpoints } = this.#options;
    const { managedwriter } = await loadWriter();
    const { apiEndpoint, ...options } = await connectionOptions(endpoints.write, credentials);
    if (apiEndpoint === undefined) return new managedwriter.WriterClient({ projectId, ...options });
    const { protocol, hostname, port } = new URL(apiEndpoint);
    const place = { apiEndpoint: hostname, port: Number(port || 443) };
    if (protocol !== "http:") return new managedwriter.WriterClient({ projectId, ...options, ...place });
    const { credentials: channels } = await import("@grpc/grpc-js");
    return new managedwriter.WriterClient({ projectId, ...options, ...place, sslCreds: channels.createInsecure() });
  }

  async #prepare(): Promise<void> {
    const { projectId, credentials, endpoints } = this.#options;
    const { BigQuery } = await importOptional({
      name: "@google-cloud/bigquery",
      user: "Analytics in BigQuery",
      load: () => import("@google-cloud/bigquery"),
    });
    const bigQuery = new BigQuery({ projectId, ...(await connectionOptions(endpoints.bigQuery, credentials)) });
    await prepareTable(bigQuery, this.#options, this.#logger);
  }
}

interface Failure {
  readonly code: number;
  readonly message: string;
  readonly badRows: readonly number[];
}

type Answer = Awaited<ReturnType<ReturnType<ManagedWriter.JSONWriter["appendRows"]>["getResult"]>>;

function failureOf({ error, rowErrors }: Answer): Failure | undefined {
  const badRows = (rowErrors ?? []).map(({ index }) => Number(index));
  if (!error && badRows.length === 0) return undefined;
  return {
    code: Number(error?.code ?? INVALID_ARGUMENT),
    message: error?.message ?? "BigQuery refuses rows.",
    badRows,
  };
}

/** UNAVAILABLE for what has no code, such as a connection that was closed. */
function codeOf(error: unknown): number {
  const code = typeof error === "object" && error !== null && "code" in error ? Number(error.code) : Number.NaN;
  return Number.isInteger(code) ? code : 14;
}

type ProtoRow = ReturnType<typeof toProtoRow>;

function toProtoRow({ timestamp, content_parts, ...row }: AnalyticsRow) {
  const parts = content_parts.map(({ object_ref, ...part }) => ({
    ...part,
    object_ref: object_ref ?? null,
    uri: part.uri ?? null,
    text: part.text ?? null,
  }));
  const members = Object.fromEntries(Object.entries(row).filter((entry) => entry[1] !== undefined));
  // Rows have texts and flags only, besides the two members above.
  return { ...(members as Record<string, string | boolean>), timestamp: dateOf(timestamp), content_parts: parts };
}

function rowDescriptor(adapt: typeof Adapt) {
  // The library's types of columns are mutable.
  const fields = structuredClone(COLUMNS) as Parameters<
    typeof adapt.convertBigQuerySchemaToStorageTableSchema
  >[0]["fields"];
  const schema = adapt.convertBigQuerySchemaToStorageTableSchema({ fields: fields ?? [] });
  return adapt.convertStorageSchemaToProto2Descriptor(schema, "root");
}

function loadWriter() {
  return importOptional({
    name: "@google-cloud/bigquery-storage",
    user: "Analytics in BigQuery",
    load: () => import("@google-cloud/bigquery-storage"),
  });
}
