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
  const logExporter = logs && new OtlpLogExporter(logs);
  const metricExporter =
    metrics && new OtlpMetricExporter({ ...metrics, registry, clock, intervalMs: config.OTEL_METRIC_EXPORT_INTERVAL });
  addExportMetrics(registry, { exporter, logExporter, metricExporter });
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

/** Counts of the data that the open exporters have lost. */
export function addExportMetrics(
  registry: MetricRegistry,
  { exporter, logExporter, metricExporter }: OpenExporters,
): void {
  const add = (name: string, help: string, read: () => number) =>
    addReadMetric("counter", { name, help, registry, read });
  if (exporter !== undefined)
    add("fairlead_otlp_spans_dropped_total", "Spans that were never exported.", () => exporter.dropped);
  if (logExporter !== undefined)
    add(
      "fairlead_otlp_log_records_dropped_total",
      "Log lines and events that were never exported.",
      () => logExporter.dropped,
    );
  if (metricExporter !== undefined)
    add(
      "fairlead_otlp_metric_exports_failed_total",
      "Exports of metrics that failed; the next one has the same counts.",
      () => metricExporter.failed,
    );
}

interface OpenExporters {
  readonly exporter: Pick<OtlpExporter, "dropped"> | undefined;
  readonly logExporter: Pick<OtlpLogExporter, "dropped"> | undefined;
  readonly metricExporter: Pick<OtlpMetricExporter, "failed"> | undefined;
}
