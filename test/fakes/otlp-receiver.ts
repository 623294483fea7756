import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import protobuf from "protobufjs";

export type Attributes = Readonly<Record<string, unknown>>;

interface Item {
  readonly resource: Attributes;
  readonly attributes: Attributes;
}

export interface ReceivedSpan extends Item {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly kind: number;
  /** Start and end, in nanoseconds. */
  readonly times: readonly [string, string];
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface ReceivedLog extends Item {
  readonly body: unknown;
  readonly severity: string;
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
}

export interface ReceivedPoint extends Item {
  readonly metric: string;
  readonly unit: string;
  readonly kind: "gauge" | "sum" | "histogram";
  /** Of a histogram the count. */
  readonly value: number;
  readonly sum?: number;
  readonly bounds?: readonly number[];
  readonly counts?: readonly number[];
}

export interface OtlpReceiver extends AsyncDisposable {
  /** The base of HTTP: `http://127.0.0.1:port`. */
  readonly url: string;
  /** The address of gRPC, as a URL. */
  readonly grpcUrl: string;
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  readonly points: readonly ReceivedPoint[];
  /** What is wrong with the requests. */
  readonly problems: readonly string[];
  readonly requests: readonly { readonly path: string; readonly headers: Attributes }[];
  /** Statuses of HTTP for the next requests, in order; then 200. */
  readonly statuses: number[];
}

type Message = Readonly<Record<string, never>>;

const ROOT = protobuf.loadSync(fileURLToPath(new URL("otlp.proto", import.meta.url)));
const REQUESTS = {
  traces: ROOT.lookupType("otlp.ExportTraceServiceRequest"),
  logs: ROOT.lookupType("otlp.ExportLogsServiceRequest"),
  metrics: ROOT.lookupType("otlp.ExportMetricsServiceRequest"),
};
type Signal = keyof typeof REQUESTS;
const NAMES: Readonly<Record<Signal, string>> = {
  traces: "TraceService",
  logs: "LogsService",
  metrics: "MetricsService",
};

/** A collector on loopback for OTLP over HTTP, in protobuf and JSON, and over gRPC. It checks what it decodes. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received = new Received();
  const requests: { path: string; headers: Attributes }[] = [];
  const statuses: number[] = [];
  const http = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers });
    const status = statuses.shift() ?? 200;
    const [, signal] = /\/v1\/(traces|logs|metrics)$/.exec(path) ?? [];
    if (signal === undefined) received.problems.push(`unknown path ${path}`);
    else if (status === 200)
      received.add(signal as Signal, bodyOf(Buffer.concat(chunks), request.headers, signal as Signal));
    response.writeHead(status, { "content-type": request.headers["content-type"] ?? "" }).end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const grpc = new Server();
  for (const signal of Object.keys(REQUESTS) as Signal[]) {
    const path = `/opentelemetry.proto.collector.${signal === "traces" ? "trace" : signal}.v1.${NAMES[signal]}/Export`;
    const identity = (bytes: Buffer): Buffer => bytes;
    const Export = {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    };
    const answer = (
      { request, metadata }: { request: Buffer; metadata: Metadata },
      done: (error: null, value: Buffer) => void,
    ) => {
      requests.push({ path, headers: metadata.getMap() });
      received.add(signal, decode(signal, request));
      done(null, Buffer.alloc(0));
    };
    grpc.addService({ Export }, { Export: answer as never });
  }
  const grpcPort = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    ),
  );
  // A TCP server's address is an object.
  const { port } = http.address() as AddressInfo;
  const { spans, logs, points, problems } = received;
  return {
    ...{ spans, logs, points, problems, requests, statuses },
    url: `http://127.0.0.1:${port}`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    [Symbol.asyncDispose]: async () => {
      grpc.forceShutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function bodyOf(raw: Buffer, headers: IncomingHttpHeaders, signal: Signal): Message {
  const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
  return headers["content-type"] === "application/json" ? JSON.parse(bytes.toString()) : decode(signal, bytes);
}

function decode(signal: Signal, bytes: Uint8Array): Message {
  const type = REQUESTS[signal];
  return type.toObject(type.decode(bytes), { longs: String }) as Message;
}

class Received {
  readonly spans: ReceivedSpan[] = [];
  readonly logs: ReceivedLog[] = [];
  readonly points: ReceivedPoint[] = [];
  readonly problems: string[] = [];

  add(signal: Signal, request: Message): void {
    const [resourcesKey, scopesKey, itemsKey] = {
      traces: ["resourceSpans", "scopeSpans", "spans"],
      logs: ["resourceLogs", "scopeLogs", "logRecords"],
      metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
    }[signal] as [string, string, string];
    for (const group of listOf(request, resourcesKey)) {
      const resource = this.#attributes(listOf(Object(group)["resource"] ?? {}, "attributes"));
      this.#check(typeof resource["service.name"] === "string", "a resource without service.name");
      for (const scope of listOf(group, scopesKey)) {
        this.#check(Object(scope)["scope"]?.name === "fairlead", "a scope without a name");
        for (const item of listOf(scope, itemsKey)) this.#item(signal, Object(item), resource);
      }
    }
  }

  #item(signal: Signal, item: Record<string, never>, resource: Attributes): void {
    if (signal === "traces") this.#span(item, resource);
    else if (signal === "logs") this.#log(item, resource);
    else this.#metric(item, resource);
  }

  #span(span: Record<string, never>, resource: Attributes): void {
    const { name = "", kind = 0, status = {} } = span;
    const [traceId, spanId] = [this.#id(span["traceId"], 16), this.#id(span["spanId"], 8)];
    const parentSpanId = span["parentSpanId"] === undefined ? "" : this.#id(span["parentSpanId"], 8);
    this.#check(name !== undefined && name !== "", "a span without a name");
    this.#check(kind >= 1 && kind <= 5, `a span of kind ${kind}`);
    const times = [String(span["startTimeUnixNano"]), String(span["endTimeUnixNano"])] as const;
    this.#times(...times);
    const attributes = this.#attributes(listOf(span, "attributes"));
    this.spans.push({ name, kind, times, status, traceId, spanId, parentSpanId, attributes, resource });
  }

  #log(log: Record<string, never>, resource: Attributes): void {
    const { severityNumber = 0, severityText = "", eventName = "" } = log;
    this.#check(severityNumber >= 1 && severityNumber <= 24, `a severity ${severityNumber}`);
    this.#times(log["timeUnixNano"], log["observedTimeUnixNano"]);
    const hasSpan = log["traceId"] !== undefined && String(log["traceId"]) !== "";
    this.logs.push({
      body: log["body"] === undefined ? undefined : this.#value(log["body"]),
      severity: severityText,
      eventName,
      traceId: hasSpan ? this.#id(log["traceId"], 16) : "",
      spanId: hasSpan ? this.#id(log["spanId"], 8) : "",
      attributes: this.#attributes(listOf(log, "attributes")),
      resource,
    });
  }

  #metric(metric: Record<string, never>, resource: Attributes): void {
    const kind = (["gauge", "sum", "histogram"] as const).find((name) => metric[name] !== undefined);
    if (kind === undefined) return void this.problems.push(`the metric ${metric["name"]} has no data`);
    const data = Object(metric[kind]);
    if (kind !== "gauge") this.#check(data.aggregationTemporality === 2, `${metric["name"]} is not cumulative`);
    for (const point of listOf(data, "dataPoints").map(Object)) {
      this.#times(point.startTimeUnixNano, point.timeUnixNano);
      const counts = (point.bucketCounts ?? []).map(Number) as number[];
      const value = Number(point.count ?? point.asDouble ?? point.asInt ?? 0);
      if (kind === "histogram") {
        this.#check(counts.length === (point.explicitBounds ?? []).length + 1, `the buckets of ${metric["name"]}`);
        this.#check(counts.reduce((sum, count) => sum + count, 0) === value, `the count of ${metric["name"]}`);
      }
      const histogram = kind === "histogram" ? { sum: point.sum, bounds: point.explicitBounds, counts } : {};
      const attributes = this.#attributes(listOf(point, "attributes"));
      this.points.push({
        metric: metric["name"] ?? "",
        unit: metric["unit"] ?? "",
        kind,
        value,
        attributes,
        resource,
        ...histogram,
      });
    }
  }

  #check(isTrue: boolean, problem: string): void {
    if (!isTrue) this.problems.push(problem);
  }

  /** Nanoseconds of this century, in order. */
  #times(start: unknown, end: unknown): void {
    const [from, to] = [BigInt(String(start ?? 0)), BigInt(String(end ?? 0))];
    this.#check(from > 10n ** 18n && to >= from, `the times ${from} and ${to}`);
  }

  #id(value: unknown, bytes: number): string {
    // JSON has hex, and protobuf bytes.
    const hex = typeof value === "string" ? value : Buffer.from((value ?? []) as Uint8Array).toString("hex");
    this.#check(hex.length === 2 * bytes && !/^0+$/.test(hex), `the id ${hex}`);
    return hex;
  }

  #attributes(pairs: readonly unknown[]): Attributes {
    const found: Record<string, unknown> = {};
    for (const pair of pairs) {
      const { key, value } = Object(pair);
      this.#check(typeof key === "string" && key !== "" && !Object.hasOwn(found, key), `the attribute ${key}`);
      found[key] = this.#value(value);
    }
    return found;
  }

  #value(any: unknown): unknown {
    const [[kind, value] = []] = Object.entries(Object(any)) as [string, never][];
    if (kind === "arrayValue") return listOf(value ?? {}, "values").map((item) => this.#value(item));
    if (kind === "kvlistValue") return this.#attributes(listOf(value ?? {}, "values"));
    if (kind === "intValue") return Number(value);
    this.#check(["stringValue", "boolValue", "doubleValue"].includes(kind ?? ""), `a value of the kind ${kind}`);
    return value;
  }
}

function listOf(message: object, key: string): readonly object[] {
  return Object(message)[key] ?? [];
}
