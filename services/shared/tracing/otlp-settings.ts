import type { Logger } from "#kit/platform/logger.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { Version } from "#kit/version.ts";
import { OtlpExporter } from "./otlp-exporter.ts";

/** Settings of the trace export, by the names that OpenTelemetry gives them. */
export const otlpConfigSchema = Type.Object({
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    default: "",
    description: "Base URL of an OTLP/HTTP collector; empty to export no traces.",
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.String({
    default: "",
    description: "Full URL for traces, in place of the base URL.",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    default: "",
    secret: true,
    description: "Headers for the collector: name=value, comma separated, percent-encoded.",
  }),
  OTEL_SERVICE_NAME: Type.String({ default: "fairlead", description: "Name of this server in traces." }),
  OTEL_RESOURCE_ATTRIBUTES: Type.String({
    default: "",
    description: "More attributes of this server: name=value, comma separated.",
  }),
});

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

/** The URL of the collector, or undefined if traces are not exported. */
export function otlpTarget(config: Readonly<Static<typeof otlpConfigSchema>>): OtlpTarget | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = config;
  if (base === "" && traces === "") return undefined;
  return {
    url: traces === "" ? `${trimEndOf(base, "/")}/v1/traces` : traces,
    headers: parsePairs(config.OTEL_EXPORTER_OTLP_HEADERS),
    resourceAttributes: {
      "service.version": Version.FAIRLEAD_VERSION,
      ...parsePairs(config.OTEL_RESOURCE_ATTRIBUTES),
      "service.name": config.OTEL_SERVICE_NAME,
    },
  };
}

/** The exporter for the collector of the settings; undefined if traces are not exported. */
export function createOtlpExporter(
  config: Readonly<Static<typeof otlpConfigSchema>>,
  logger: Logger,
): OtlpExporter | undefined {
  const target = otlpTarget(config);
  return target === undefined ? undefined : new OtlpExporter({ ...target, logger });
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
