import { trimEndOf } from "#kit/platform/trim-end.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { Version } from "#kit/version.ts";
import type { OtlpProtocol, OtlpSignal, OtlpTarget } from "./otlp-connection.ts";

const text = (description: string) => Type.String({ default: "", description });
const secret = (description: string) => Type.String({ default: "", secret: true, description });
const exporterOf = (signal: string, description: string) =>
  Type.Enum(["", "otlp", "none"], { default: "", description: `${description} \`none\` exports no ${signal}.` });
const PROTOCOLS = ["", "grpc", "http/protobuf", "http/json"] as const;

/** Settings of the export of telemetry, by the names that OpenTelemetry gives them. */
export const otlpConfigSchema = Type.Object({
  OTEL_SDK_DISABLED: Type.Boolean({ default: false, description: "Export nothing, whatever else is set." }),
  OTEL_TRACES_EXPORTER: exporterOf("traces", "Traces are exported if there is an endpoint for them."),
  OTEL_METRICS_EXPORTER: exporterOf(
    "metrics",
    "With `otlp`, or an endpoint of their own, metrics are exported too; `/metrics` does not change.",
  ),
  OTEL_LOGS_EXPORTER: exporterOf(
    "log lines",
    "With `otlp`, or an endpoint of their own, the lines of the log are exported too.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    "Base URL of an OTLP collector; empty to export nothing, except to the endpoints of single signals.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text("Full URL for traces, in place of the base URL."),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: text("Full URL for metrics, in place of the base URL."),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: text("Full URL for log lines, in place of the base URL."),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Enum(["grpc", "http/protobuf", "http/json"], {
    default: "http/protobuf",
    description: "The protocol of the collector.",
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: Type.Enum(PROTOCOLS, { default: "", description: "The protocol for traces." }),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: Type.Enum(PROTOCOLS, { default: "", description: "The protocol for metrics." }),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: Type.Enum(PROTOCOLS, { default: "", description: "The protocol for log lines." }),
  OTEL_EXPORTER_OTLP_HEADERS: secret("Headers for the collector: name=value, comma separated, percent-encoded."),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret("More headers for traces."),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: secret("More headers for metrics."),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: secret("More headers for log lines."),
  OTEL_EXPORTER_OTLP_TIMEOUT: Type.Integer({
    default: 10_000,
    minimum: 1,
    description: "Longest time for one batch, repetitions included, in ms.",
  }),
  OTEL_EXPORTER_OTLP_COMPRESSION: Type.Enum(["none", "gzip"], {
    default: "none",
    description: "How batches are compressed.",
  }),
  OTEL_EXPORTER_OTLP_CERTIFICATE: text("PEM file with the certificates that the collector is trusted by."),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: text("PEM file with the certificate of this process."),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: text("PEM file with the key of that certificate."),
  OTEL_EXPORTER_OTLP_INSECURE: Type.Boolean({
    default: false,
    description: "Call a gRPC collector whose address has no scheme without TLS.",
  }),
  OTEL_METRIC_EXPORT_INTERVAL: Type.Integer({
    default: 60_000,
    minimum: 100,
    description: "How often metrics are exported, in ms.",
  }),
  OTEL_SERVICE_NAME: Type.String({ default: "fairlead", description: "Name of this server in traces." }),
  OTEL_RESOURCE_ATTRIBUTES: text("More attributes of this server: name=value, comma separated."),
});

export type OtlpConfig = Readonly<Static<typeof otlpConfigSchema>>;

/** Where the signal goes; undefined if it is not exported. */
export function otlpTarget(config: OtlpConfig, signal: OtlpSignal): OtlpTarget | undefined {
  const own = ownSettings(config)[signal];
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base } = config;
  const isAsked = own.endpoint !== "" || own.exporter === "otlp" || signal === "traces";
  if (config.OTEL_SDK_DISABLED || own.exporter === "none" || !isAsked) return undefined;
  if (base === "" && own.endpoint === "") return undefined;
  const protocol = own.protocol === "" ? config.OTEL_EXPORTER_OTLP_PROTOCOL : own.protocol;
  return {
    url: own.endpoint === "" ? urlOf(base, signal, protocol) : own.endpoint,
    protocol,
    headers: { ...parsePairs(config.OTEL_EXPORTER_OTLP_HEADERS), ...parsePairs(own.headers) },
    compression: config.OTEL_EXPORTER_OTLP_COMPRESSION,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    certificate: config.OTEL_EXPORTER_OTLP_CERTIFICATE || undefined,
    clientCertificate: config.OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE || undefined,
    clientKey: config.OTEL_EXPORTER_OTLP_CLIENT_KEY || undefined,
    isInsecure: config.OTEL_EXPORTER_OTLP_INSECURE,
  };
}

/** Attributes of this process on all that it exports. */
export function resourceAttributesOf(config: OtlpConfig): Readonly<Record<string, string>> {
  return {
    "service.version": Version.FAIRLEAD_VERSION,
    ...parsePairs(config.OTEL_RESOURCE_ATTRIBUTES),
    "service.name": config.OTEL_SERVICE_NAME,
  };
}

interface SignalSettings {
  readonly exporter: "" | "otlp" | "none";
  readonly endpoint: string;
  readonly protocol: "" | OtlpProtocol;
  readonly headers: string;
}

function ownSettings(config: OtlpConfig): Readonly<Record<OtlpSignal, SignalSettings>> {
  return {
    traces: {
      exporter: config.OTEL_TRACES_EXPORTER,
      endpoint: config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      protocol: config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL,
      headers: config.OTEL_EXPORTER_OTLP_TRACES_HEADERS,
    },
    metrics: {
      exporter: config.OTEL_METRICS_EXPORTER,
      endpoint: config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
      protocol: config.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL,
      headers: config.OTEL_EXPORTER_OTLP_METRICS_HEADERS,
    },
    logs: {
      exporter: config.OTEL_LOGS_EXPORTER,
      endpoint: config.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT,
      protocol: config.OTEL_EXPORTER_OTLP_LOGS_PROTOCOL,
      headers: config.OTEL_EXPORTER_OTLP_LOGS_HEADERS,
    },
  };
}

function urlOf(base: string, signal: OtlpSignal, protocol: OtlpProtocol): string {
  return protocol === "grpc" ? base : `${trimEndOf(base, "/")}/v1/${signal}`;
}

/** `name=value,name=value`, both percent-encoded. Entries without `=` are left out. */
function parsePairs(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[decode(pair.slice(0, at)), decode(pair.slice(at + 1))]];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  const trimmed = text.trim();
  try {
    return decodeURIComponent(trimmed);
  } catch {
    // The value is not percent-encoded.
    return trimmed;
  }
}
