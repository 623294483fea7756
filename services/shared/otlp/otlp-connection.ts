import { readFile } from "node:fs/promises";
import type { IOtlpExportDelegate } from "@opentelemetry/otlp-exporter-base";
import type * as Transformer from "@opentelemetry/otlp-transformer";

export type OtlpProtocol = "grpc" | "http/protobuf" | "http/json";

/** Where one kind of telemetry goes, and how. */
export interface OtlpTarget {
  /** With the path of the signal for HTTP; of gRPC only host and port count. */
  readonly url: string;
  /** `http/protobuf` if absent. */
  readonly protocol?: OtlpProtocol;
  readonly headers?: Readonly<Record<string, string>>;
  readonly compression?: "gzip" | "none";
  /** Longest time for one batch, repetitions included, in milliseconds. */
  readonly timeoutMs?: number;
  /** Paths of PEM files for TLS: trusted certificates, and the client's certificate and key. */
  readonly certificate?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** gRPC without TLS to an address that names no scheme. */
  readonly isInsecure?: boolean;
}

type Items<Serializer> = Serializer extends { serializeRequest(request: infer Request): unknown } ? Request : never;

/** The items of a request, by the kind of telemetry. */
export interface OtlpItems {
  readonly traces: Items<typeof Transformer.ProtobufTraceSerializer>;
  readonly metrics: Items<typeof Transformer.ProtobufMetricsSerializer>;
  readonly logs: Items<typeof Transformer.ProtobufLogsSerializer>;
}

export type OtlpSignal = keyof OtlpItems;

/** An open way to a collector. */
export interface OtlpConnection<Signal extends OtlpSignal> {
  /** Rejects if the collector does not take the items, also after repetitions. */
  send(items: OtlpItems[Signal]): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const CONCURRENCY = 4;

/** The services of OTLP over gRPC. */
const GRPC = {
  traces: ["TraceExportService", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"],
  metrics: ["MetricsExportService", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"],
  logs: ["LogsExportService", "/opentelemetry.proto.collector.logs.v1.LogsService/Export"],
} as const;

/** Loads the libraries of the protocol and makes them ready to send. Nothing is connected before the first request. */
export async function connectOtlp<Signal extends OtlpSignal>(
  signal: Signal,
  target: OtlpTarget,
): Promise<OtlpConnection<Signal>> {
  const { protocol = "http/protobuf" } = target;
  const delegate =
    protocol === "grpc"
      ? await grpcDelegate(signal, target)
      : await httpDelegate(signal, target, protocol === "http/json");
  return {
    send: (items) =>
      new Promise((resolve, reject) => {
        delegate.export(items, ({ code, error }) => {
          if (code === 0) resolve();
          else reject(error ?? new Error("The collector refused the request."));
        });
      }),
    close: () => delegate.shutdown(),
  };
}

type Delegate<Signal extends OtlpSignal> = Pick<IOtlpExportDelegate<OtlpItems[Signal]>, "export" | "shutdown">;

async function httpDelegate<Signal extends OtlpSignal>(
  signal: Signal,
  target: OtlpTarget,
  isJson: boolean,
): Promise<Delegate<Signal>> {
  const { url, headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS, compression = "none" } = target;
  const tls = await readTls(target);
  if (isJson && signal === "traces") {
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
    // Narrowing a value does not narrow its type's parameter.
    return new OTLPTraceExporter({
      url,
      headers: { ...headers },
      timeoutMillis: timeoutMs,
      compression: compression as never,
      httpAgentOptions: tls,
    }) as unknown as Delegate<Signal>;
  }
  const [{ createOtlpHttpExportDelegate, httpAgentFactoryFromOptions }, { serializer, helper }] = await Promise.all([
    import("@opentelemetry/otlp-exporter-base/node-http"),
    loadSerializer(signal, isJson),
  ]);
  const type = isJson ? "application/json" : "application/x-protobuf";
  return createOtlpHttpExportDelegate(
    {
      url,
      headers: async () => ({ ...headers, "content-type": type }),
      timeoutMillis: timeoutMs,
      concurrencyLimit: CONCURRENCY,
      compression,
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, ...tls }),
    },
    serializer,
    `otlp_http_${signal}`,
    helper,
    undefined,
  );
}

async function grpcDelegate<Signal extends OtlpSignal>(signal: Signal, target: OtlpTarget): Promise<Delegate<Signal>> {
  const { url, headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS, compression = "none", isInsecure } = target;
  const [{ createOtlpGrpcExportDelegate, ...grpc }, { serializer, helper }, tls] = await Promise.all([
    import("@opentelemetry/otlp-grpc-exporter-base"),
    loadSerializer(signal, false),
    readTls(target),
  ]);
  const [name, path] = GRPC[signal];
  const metadata = grpc.createEmptyMetadata();
  for (const [header, value] of Object.entries(headers)) metadata.set(header.toLowerCase(), value);
  const isPlain = url.startsWith("http://") || (isInsecure === true && !url.startsWith("https://"));
  const credentials = isPlain ? grpc.createInsecureCredentials() : grpc.createSslCredentials(tls.ca, tls.key, tls.cert);
  return createOtlpGrpcExportDelegate(
    {
      url: URL.parse(url.includes("://") ? url : `https://${url}`)?.host ?? url,
      metadata: () => metadata,
      credentials: () => credentials,
      timeoutMillis: timeoutMs,
      concurrencyLimit: CONCURRENCY,
      compression,
    },
    serializer,
    `otlp_grpc_${signal}`,
    helper,
    undefined,
    name,
    path,
  );
}

/** The code of the library that writes the requests of one kind of telemetry. */
interface Codec<Signal extends OtlpSignal> {
  readonly serializer: Transformer.ISerializer<OtlpItems[Signal], unknown>;
  readonly helper: Transformer.IExporterMetricsHelper<OtlpItems[Signal]>;
}

async function loadSerializer<Signal extends OtlpSignal>(signal: Signal, isJson: boolean): Promise<Codec<Signal>> {
  const library = await import("@opentelemetry/otlp-transformer");
  const codecs = {
    traces: {
      serializer: isJson ? library.JsonTraceSerializer : library.ProtobufTraceSerializer,
      helper: library.TraceExporterMetricsHelper,
    },
    metrics: {
      serializer: isJson ? library.JsonMetricsSerializer : library.ProtobufMetricsSerializer,
      helper: library.MetricsExporterMetricsHelper,
    },
    logs: {
      serializer: isJson ? library.JsonLogsSerializer : library.ProtobufLogsSerializer,
      helper: library.LogsExporterMetricsHelper,
    },
  };
  // Each member has the types of its signal, which TypeScript cannot see through the index.
  return codecs[signal] as unknown as Codec<Signal>;
}

async function readTls(
  target: OtlpTarget,
): Promise<{ readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }> {
  const { certificate, clientCertificate, clientKey } = target;
  return {
    ...(certificate !== undefined && { ca: await readFile(certificate) }),
    ...(clientCertificate !== undefined && { cert: await readFile(clientCertificate) }),
    ...(clientKey !== undefined && { key: await readFile(clientKey) }),
  };
}
