import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { LogLevel } from "../logging/logger.ts";
import { addReadMetric, type MetricRegistry } from "../metrics/metric-registry.ts";
import { currentCallScope } from "../security/call-scope.ts";
import type { OtlpSignal } from "./otlp-connection.ts";
import { OtlpExporter, type OtlpExporterOptions } from "./otlp-exporter.ts";
import { ExportingLogger, OtlpLogExporter } from "./otlp-log.ts";
import { OtlpMetricExporter } from "./otlp-metrics.ts";
import { type OtlpConfig, otlpTarget, resourceAttributesOf } from "./otlp-settings.ts";

/** The open exporters of a process, and its logger. */
export interface OtlpExport extends AsyncDisposable {
  readonly exporter: OtlpExporter | undefined;
  readonly logExporter: OtlpLogExporter | undefined;
  /** The process's logger, whose lines are exported if log lines are. */
  readonly logger: Logger;
}

interface Given {
  readonly config: OtlpConfig & { readonly LOG_LEVEL: LogLevel };
  readonly logger: Logger;
  readonly clock: Clock;
  readonly registry: MetricRegistry;
}

/** Opens the exporters of the settings. Their disposal sends what waits. Signals that are off cost nothing. */
export function openOtlp({ config, logger, clock, registry }: Given): OtlpExport {
  const optionsOf = (signal: OtlpSignal): OtlpExporterOptions | undefined => {
    const target = otlpTarget(config, signal);
    return target && { ...target, resourceAttributes: resourceAttributesOf(config), logger };
  };
  const [traces, metrics, logs] = [optionsOf("traces"), optionsOf("metrics"), optionsOf("logs")];
  const exporter = traces && new OtlpExporter(traces);
  if (exporter !== undefined) addExporterMetrics(registry, exporter);
  const logExporter = logs && new OtlpLogExporter(logs);
  if (logExporter !== undefined)
    addReadMetric("counter", {
      name: "fairlead_otlp_log_records_dropped_total",
      help: "Log lines and events that were never exported.",
      registry,
      read: () => logExporter.dropped,
    });
  const metricExporter =
    metrics && new OtlpMetricExporter({ ...metrics, registry, clock, intervalMs: config.OTEL_METRIC_EXPORT_INTERVAL });
  if (metricExporter !== undefined)
    addReadMetric("counter", {
      name: "fairlead_otlp_metric_exports_failed_total",
      help: "Exports of metrics that failed; the next one has the same counts.",
      registry,
      read: () => metricExporter.failed,
    });
  const traceParent = (): string | undefined => currentCallScope()?.traceParent;
  return {
    exporter,
    logExporter,
    logger:
      logExporter === undefined
        ? logger
        : new ExportingLogger(logger, { exporter: logExporter, clock, level: config.LOG_LEVEL, traceParent }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([exporter, metricExporter, logExporter].map((one) => one?.[Symbol.asyncDispose]()));
    },
  };
}

/** The spans that the export of traces has lost. */
export function addExporterMetrics(registry: MetricRegistry, exporter: OtlpExporter): void {
  addReadMetric("counter", {
    name: "fairlead_otlp_spans_dropped_total",
    help: "Spans that were never exported.",
    registry,
    read: () => exporter.dropped,
  });
}
