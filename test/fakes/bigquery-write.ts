import { createRequire } from "node:module";
import { type GrpcObject, loadPackageDefinition, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { COLUMNS, type Column } from "#kit/plugins/analytics/analytics-row.ts";

/** What the next append meets. */
export type AppendFault =
  /** Refused before anything is written, as when a quota is used up. */
  | "throttled"
  /** Refused after a part of the connection's work: nothing of the batch is written. */
  | "connection lost before the write"
  /** The rows are there, and the answer is lost. */
  | "connection lost after the write"
  /** No answer at all, and nothing is written. */
  | "silent"
  /** The first row of the batch is refused. */
  | "bad row"
  /** The stream has ended on the server. */
  | "stream finalized"
  | "not permitted";

export type WrittenRow = Readonly<Record<string, unknown>>;

export interface BigQueryWriteFake extends AsyncDisposable {
  /** `http://host:port`. */
  readonly url: string;
  /** All rows that are in the table, in order. */
  readonly rows: readonly WrittenRow[];
  readonly streams: readonly string[];
  /** Appends that were asked for. */
  readonly appends: number;
  /** Faults of the next appends, in order; after the last one the server works. */
  readonly faults: AppendFault[];
  /** Leaves so many of the next requests for a stream unanswered. */
  readonly ignored: { streams: number };
  /** What was wrong with requests. */
  readonly problems: readonly string[];
}

interface Stream {
  readonly rows: WrittenRow[];
  isFinalized: boolean;
}

interface AppendRequest {
  readonly writeStream: string;
  readonly offset?: { readonly value: string } | null;
  readonly protoRows?: {
    readonly writerSchema?: { readonly protoDescriptor?: object | null } | null;
    readonly rows?: { readonly serializedRows: readonly Buffer[] } | null;
  };
}

interface AppendCall {
  on(event: "data" | "end" | "error", listener: (value: never) => void): void;
  write(answer: object): void;
  end(): void;
  emit(event: "error", error: object): void;
}

const TABLE = /^projects\/[\w-]+\/datasets\/\w+\/tables\/\w+$/;

/**
 * BigQuery's write API over gRPC, with the package's own definitions: committed streams with offsets. Each request is
 * checked: the table's name, the schema of the first request, each row's columns, and that JSON columns are JSON.
 */
export async function startBigQueryWrite(): Promise<BigQueryWriteFake> {
  const require = createRequire(import.meta.url);
  const json = require("@google-cloud/bigquery-storage/build/protos/protos.json") as protobuf.INamespace;
  const definition = fromJSON(json, { longs: String, enums: String, defaults: false, keepCase: false });
  const root = loadPackageDefinition(definition) as unknown as Record<string, GrpcObject>;
  // The names of packages are members of members.
  const { service } = (root as never as typeof GOOGLE).google.cloud.bigquery.storage.v1.BigQueryWrite;
  const streams = new Map<string, Stream>();
  const problems: string[] = [];
  const faults: AppendFault[] = [];
  const ignored = { streams: 0 };
  let appends = 0;
  const server = new Server();

  const createWriteStream = (
    call: { readonly request: { parent: string; writeStream?: { type?: string } } },
    done: (error: object | null, stream?: object) => void,
  ): void => {
    if (ignored.streams > 0) {
      ignored.streams -= 1;
      return;
    }
    const { parent, writeStream } = call.request;
    if (!TABLE.test(parent)) problems.push(`parent ${parent}`);
    if (writeStream?.type !== "COMMITTED") problems.push(`stream of type ${writeStream?.type}`);
    const name = `${parent}/streams/s${streams.size + 1}`;
    streams.set(name, { rows: [], isFinalized: false });
    done(null, { name, type: "COMMITTED" });
  };

  const appendRows = (call: AppendCall): void => {
    let type: protobuf.Type | undefined;
    let name = "";
    call.on("end", () => call.end());
    call.on("error", () => {});
    call.on("data", (given) => {
      const request = given as AppendRequest;
      appends += 1;
      const fault = faults.shift();
      name = request.writeStream || name;
      const schema = request.protoRows?.writerSchema?.protoDescriptor;
      if (schema) type = protobuf.Type.fromDescriptor(descriptor.DescriptorProto.fromObject(schema));
      const stream = streams.get(name);
      if (fault === "silent") return;
      if (fault === "throttled") return call.write(failure(status.RESOURCE_EXHAUSTED, "too many appends"));
      if (fault === "not permitted") return call.write(failure(status.PERMISSION_DENIED, "no access"));
      if (fault === "connection lost before the write")
        return call.emit("error", { code: status.UNAVAILABLE, details: "reset" });
      if (fault === "stream finalized" && stream !== undefined) stream.isFinalized = true;
      if (stream === undefined) return call.write(failure(status.NOT_FOUND, "no such stream"));
      if (stream.isFinalized) return call.write(failure(status.FAILED_PRECONDITION, "the stream is finalized"));
      if (type === undefined) return call.write(failure(status.INVALID_ARGUMENT, "no schema"));
      const offset = Number(request.offset?.value ?? 0);
      if (offset < stream.rows.length) return call.write(failure(status.ALREADY_EXISTS, "rows are there"));
      if (offset > stream.rows.length) return call.write(failure(status.OUT_OF_RANGE, "a gap"));
      const rows = (request.protoRows?.rows?.serializedRows ?? []).map((bytes) => decode(type as protobuf.Type, bytes));
      problems.push(...rows.flatMap((row) => problemsOf(row, COLUMNS)));
      if (fault === "bad row")
        return call.write({
          ...failure(status.INVALID_ARGUMENT, "bad rows"),
          rowErrors: [{ index: "0", code: "FIELDS_ERROR", message: "bad" }],
        });
      stream.rows.push(...rows);
      if (fault === "connection lost after the write")
        return call.emit("error", { code: status.UNAVAILABLE, details: "reset" });
      call.write({ appendResult: { offset: { value: String(offset) } } });
    });
  };

  server.addService(service as never, { createWriteStream, appendRows } as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    ignored,
    problems,
    get rows() {
      return [...streams.values()].flatMap(({ rows }) => rows);
    },
    get streams() {
      return [...streams.keys()];
    },
    get appends() {
      return appends;
    },
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}

declare const GOOGLE: {
  google: { cloud: { bigquery: { storage: { v1: { BigQueryWrite: { service: unknown } } } } } };
};

function failure(code: number, message: string): object {
  return { error: { code, message } };
}

function decode(type: protobuf.Type, bytes: Buffer): WrittenRow {
  return type.toObject(type.decode(bytes), { longs: Number, arrays: true });
}

/** Whether the row has the table's columns only, with their types. */
function problemsOf(row: WrittenRow, columns: readonly Column[]): readonly string[] {
  const problems: string[] = [];
  for (const name of Object.keys(row))
    if (!columns.some((column) => column.name === name)) problems.push(`unknown column ${name}`);
  for (const { name, type, mode, fields } of columns) {
    const value = row[name];
    if (value === undefined || value === null) {
      if (mode === "REQUIRED") problems.push(`${name} is missing`);
    } else if (mode === "REPEATED") {
      for (const item of value as readonly WrittenRow[]) problems.push(...problemsOf(item, fields ?? []));
    } else if (type === "RECORD") problems.push(...problemsOf(value as WrittenRow, fields ?? []));
    else if (type === "JSON" && !isJson(value)) problems.push(`${name} is not JSON: ${String(value)}`);
    // Microseconds since the epoch, of this century.
    else if (type === "TIMESTAMP" && !(Number(value) > 9e14 && Number(value) < 4e15))
      problems.push(`${name}: ${value}`);
  }
  return problems;
}

function isJson(value: unknown): boolean {
  try {
    JSON.parse(String(value));
    return typeof value === "string";
  } catch {
    return false;
  }
}
